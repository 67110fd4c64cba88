package io.holdfast.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStoreException;
import io.holdfast.redis.LockKeys.Names;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.util.Assert;

/**
 * Locks on one Redis: each operation is one Lua script.
 *
 * <p>
 * Connections come straight from the factory, never from a template: one that is bound to
 * a running transaction would only queue the scripts.
 *
 * @since 0.1.0
 */
public final class RedisLockStore implements LockStore {

	private static final byte[] NONE = {};

	private final LockScript<Outcome> acquire = new LockScript<>("acquire.lua", ReturnType.MULTI,
			RedisLockStore::outcome);

	private final LockScript<Transfer> transfer = new LockScript<>("transfer.lua", ReturnType.MULTI,
			RedisLockStore::transferred);

	private final LockScript<Long> find = new LockScript<>("find.lua", ReturnType.INTEGER, (reply) -> (Long) reply);

	private final LockScript<@Nullable Duration> reenter = new LockScript<>("reenter.lua", ReturnType.INTEGER,
			RedisLockStore::remaining);

	private final LockScript<List<@Nullable Duration>> renew = new LockScript<>("renew.lua", ReturnType.MULTI,
			RedisLockStore::allRemaining);

	private final LockScript<Boolean> release = new LockScript<>("release.lua", ReturnType.INTEGER,
			(reply) -> (Long) reply == 1);

	private final LockScript<Long> leave = new LockScript<>("leave.lua", ReturnType.INTEGER, (reply) -> (Long) reply);

	private final RedisConnectionFactory connectionFactory;

	private final LockKeys keys;

	private final Duration tokenRetention;

	private final byte[] channelPrefix;

	private final WakeUpChannel wakeUps;

	/**
	 * Create a store.
	 * @param connectionFactory where connections come from
	 * @param keyPrefix what every key and channel starts with
	 * @param instanceId identity of this instance, whose channel it listens to
	 * @param tokenRetention how long a key's last fencing token is remembered after use
	 */
	public RedisLockStore(RedisConnectionFactory connectionFactory, String keyPrefix, String instanceId,
			Duration tokenRetention) {
		this.connectionFactory = connectionFactory;
		this.keys = new LockKeys(keyPrefix);
		this.tokenRetention = tokenRetention;
		this.channelPrefix = LockKeys.bytes(this.keys.channelPrefix());
		this.wakeUps = new WakeUpChannel(connectionFactory, this.keys.channelPrefix() + instanceId);
	}

	@Override
	public Outcome acquire(Claim claim) {
		Names names = this.keys.of(claim.key());
		QueuePlace place = claim.place();
		return run(claim.key(), this.acquire, 4, names.lock(), names.token(), names.queue(), names.deadlines(),
				LockKeys.bytes(claim.owner()), millis(claim.lease()), remembered(claim.lease()),
				number(claim.staleToken()), (place != null) ? LockKeys.bytes(place.id()) : NONE,
				(place != null) ? millis(place.kept()) : NONE);
	}

	private static Outcome outcome(Object reply) {
		List<?> values = (List<?>) reply;
		long token = (Long) values.get(0);
		return (token != 0) ? new Granted(token)
				: new Denied(text((byte[]) values.get(2)), Duration.ofMillis((Long) values.get(1)));
	}

	@Override
	public Transfer transfer(HoldId hold, Claim successor, boolean yield) {
		Names names = this.keys.of(hold.key());
		QueuePlace place = successor.place();
		Assert.state(place != null, "Only a waiter can be handed a lock");
		return run(hold.key(), this.transfer, 4, names.lock(), names.token(), names.queue(), names.deadlines(),
				LockKeys.bytes(hold.owner()), number(hold.token()), LockKeys.bytes(successor.owner()),
				millis(successor.lease()), remembered(successor.lease()), number(yield ? 1 : 0),
				LockKeys.bytes(place.id()), millis(place.kept()), this.channelPrefix, names.name());
	}

	private static Transfer transferred(Object reply) {
		List<?> values = (List<?>) reply;
		long token = (Long) values.get(0);
		if (token > 0) {
			return new Transferred(token, (Long) values.get(1) == 1);
		}
		return (token < 0) ? new Yielded() : new NotHeld();
	}

	@Override
	public @Nullable Duration reenter(HoldId hold, int holdCount, Duration lease) {
		Names names = this.keys.of(hold.key());
		return this.<@Nullable Duration>run(hold.key(), this.reenter, 2, names.lock(), names.token(),
				LockKeys.bytes(hold.owner()), number(hold.token()), number(holdCount), millis(lease),
				millis(this.tokenRetention));
	}

	@Override
	public List<@Nullable Duration> renew(List<Renewal> renewals) {
		List<byte[]> lockKeys = new ArrayList<>(2 * renewals.size());
		List<byte[]> arguments = new ArrayList<>(1 + 3 * renewals.size());
		arguments.add(millis(this.tokenRetention));
		for (Renewal renewal : renewals) {
			Names names = this.keys.of(renewal.hold().key());
			lockKeys.add(names.lock());
			lockKeys.add(names.token());
			arguments.add(LockKeys.bytes(renewal.hold().owner()));
			arguments.add(number(renewal.hold().token()));
			arguments.add(millis(renewal.lease()));
		}
		int keyCount = lockKeys.size();
		lockKeys.addAll(arguments);
		return run(renewals.get(0).hold().key(), this.renew, keyCount, lockKeys.toArray(byte[][]::new));
	}

	private static List<@Nullable Duration> allRemaining(Object reply) {
		List<?> values = (List<?>) reply;
		List<@Nullable Duration> remaining = new ArrayList<>(values.size());
		values.forEach((value) -> remaining.add(remaining(value)));
		return remaining;
	}

	@Override
	public boolean release(HoldId hold, int holdCount) {
		Names names = this.keys.of(hold.key());
		return run(hold.key(), this.release, 3, names.lock(), names.queue(), names.deadlines(),
				LockKeys.bytes(hold.owner()), number(hold.token()), number(holdCount), this.channelPrefix,
				names.name());
	}

	@Override
	public void leave(String key, String placeId) {
		Names names = this.keys.of(key);
		run(key, this.leave, 3, names.lock(), names.queue(), names.deadlines(), LockKeys.bytes(placeId),
				this.channelPrefix, names.name());
	}

	@Override
	public OptionalLong findToken(String key, String owner) {
		long token = run(key, this.find, 1, this.keys.of(key).lock(), LockKeys.bytes(owner));
		return (token != 0) ? OptionalLong.of(token) : OptionalLong.empty();
	}

	@Override
	public void ping() {
		ask(null, RedisConnection::ping);
	}

	@Override
	public void listen(WakeUpListener listener) {
		this.wakeUps.open(listener);
	}

	@Override
	public void stopListening() {
		this.wakeUps.close();
	}

	@Override
	public Subscription subscription() {
		return this.wakeUps.state();
	}

	private <T extends @Nullable Object> T run(String key, LockScript<T> script, int keys, byte[]... keysAndArguments) {
		return ask(key, (redis) -> script.run(redis, keys, keysAndArguments));
	}

	/**
	 * Ask Redis. An interrupt that came before is put off until after it, since Lettuce
	 * would refuse to send anything; one that comes meanwhile is not forgotten, as the
	 * connection pool does.
	 */
	private <T extends @Nullable Object> T ask(@Nullable String key, Function<RedisConnection, T> question) {
		boolean interrupted = Thread.interrupted();
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			return question.apply(connection);
		}
		catch (RuntimeException ex) {
			interrupted |= RedisFailures.isInterrupt(ex);
			throw RedisFailures.translate(key, ex);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Return how long the last token of a key is remembered when the lock has just been
	 * granted.
	 */
	private byte[] remembered(Duration lease) {
		return millis(lease.plus(this.tokenRetention));
	}

	private static @Nullable Duration remaining(Object reply) {
		long millis = (Long) reply;
		return (millis > 0) ? Duration.ofMillis(millis) : null;
	}

	private static @Nullable String text(byte[] reply) {
		return (reply.length > 0) ? new String(reply, StandardCharsets.UTF_8) : null;
	}

	private static byte[] millis(Duration duration) {
		return number(duration.toMillis());
	}

	private static byte[] number(long number) {
		return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
	}

}
