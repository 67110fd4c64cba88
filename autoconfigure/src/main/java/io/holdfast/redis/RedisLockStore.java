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

	private final LockScript acquire = LockScript.load("acquire.lua", ReturnType.MULTI);

	private final LockScript transfer = LockScript.load("transfer.lua", ReturnType.MULTI);

	private final LockScript find = LockScript.load("find.lua", ReturnType.INTEGER);

	private final LockScript reenter = LockScript.load("reenter.lua", ReturnType.INTEGER);

	private final LockScript renew = LockScript.load("renew.lua", ReturnType.MULTI);

	private final LockScript release = LockScript.load("release.lua", ReturnType.INTEGER);

	private final LockScript leave = LockScript.load("leave.lua", ReturnType.INTEGER);

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
		List<Object> reply = run(claim.key(),
				(redis) -> this.acquire.run(redis, 4, names.lock(), names.token(), names.queue(), names.deadlines(),
						LockKeys.bytes(claim.owner()), millis(claim.lease()), remembered(claim.lease()),
						number(claim.staleToken()), (place != null) ? LockKeys.bytes(place.id()) : NONE,
						(place != null) ? millis(place.kept()) : NONE));
		if (reply.get(0) instanceof byte[] b) {
			System.err.println("DEBUG " + new String(b, StandardCharsets.UTF_8) + " " + reply.size() + " "
					+ reply.get(reply.size() - 1));
		}
		long token = (Long) reply.get(0);
		return (token != 0) ? new Granted(token)
				: new Denied(text((byte[]) reply.get(2)), Duration.ofMillis((Long) reply.get(1)));
	}

	@Override
	public Transfer transfer(HoldId hold, Claim successor, boolean yield) {
		Names names = this.keys.of(hold.key());
		QueuePlace place = successor.place();
		Assert.state(place != null, "Only a waiter can be handed a lock");
		List<Long> reply = run(hold.key(),
				(redis) -> this.transfer.run(redis, 4, names.lock(), names.token(), names.queue(), names.deadlines(),
						LockKeys.bytes(hold.owner()), number(hold.token()), LockKeys.bytes(successor.owner()),
						millis(successor.lease()), remembered(successor.lease()), number(yield ? 1 : 0),
						LockKeys.bytes(place.id()), millis(place.kept()), this.channelPrefix,
						LockKeys.bytes(hold.key())));
		long token = reply.get(0);
		if (token > 0) {
			return new Transferred(token, reply.get(1) == 1);
		}
		return (token < 0) ? new Yielded() : new NotHeld();
	}

	@Override
	public @Nullable Duration reenter(HoldId hold, int holdCount, Duration lease) {
		Names names = this.keys.of(hold.key());
		Long remaining = run(hold.key(),
				(redis) -> this.reenter.run(redis, 2, names.lock(), names.token(), LockKeys.bytes(hold.owner()),
						number(hold.token()), number(holdCount), millis(lease), millis(this.tokenRetention)));
		return remaining(remaining);
	}

	@Override
	public List<@Nullable Duration> renew(List<Renewal> renewals) {
		List<byte[]> lockKeys = new ArrayList<>();
		List<byte[]> arguments = new ArrayList<>();
		arguments.add(millis(this.tokenRetention));
		for (Renewal renewal : renewals) {
			Names names = this.keys.of(renewal.hold().key());
			lockKeys.addAll(List.of(names.lock(), names.token()));
			arguments.addAll(List.of(LockKeys.bytes(renewal.hold().owner()), number(renewal.hold().token()),
					millis(renewal.lease())));
		}
		int keyCount = lockKeys.size();
		lockKeys.addAll(arguments);
		List<Long> replies = run(renewals.get(0).hold().key(),
				(redis) -> this.renew.run(redis, keyCount, lockKeys.toArray(byte[][]::new)));
		List<@Nullable Duration> remaining = new ArrayList<>(replies.size());
		replies.forEach((reply) -> remaining.add(remaining(reply)));
		return remaining;
	}

	@Override
	public boolean release(HoldId hold, int holdCount) {
		Names names = this.keys.of(hold.key());
		Long held = run(hold.key(),
				(redis) -> this.release.run(redis, 3, names.lock(), names.queue(), names.deadlines(),
						LockKeys.bytes(hold.owner()), number(hold.token()), number(holdCount), this.channelPrefix,
						LockKeys.bytes(hold.key())));
		return held == 1;
	}

	@Override
	public void leave(String key, String placeId) {
		Names names = this.keys.of(key);
		run(key, (redis) -> this.leave.run(redis, 3, names.lock(), names.queue(), names.deadlines(),
				LockKeys.bytes(placeId), this.channelPrefix, LockKeys.bytes(key)));
	}

	@Override
	public OptionalLong findToken(String key, String owner) {
		Long token = run(key, (redis) -> this.find.run(redis, 1, this.keys.of(key).lock(), LockKeys.bytes(owner)));
		return (token != 0) ? OptionalLong.of(token) : OptionalLong.empty();
	}

	@Override
	public void ping() {
		run(null, RedisConnection::ping);
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

	/**
	 * Run a command. An interrupt that came before is put off until after it, since
	 * Lettuce would refuse to send anything; one that comes meanwhile is not forgotten,
	 * as the connection pool does.
	 */
	private <T> T run(@Nullable String key, Function<RedisConnection, T> command) {
		boolean interrupted = Thread.interrupted();
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			return command.apply(connection);
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

	private static @Nullable Duration remaining(long millis) {
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
