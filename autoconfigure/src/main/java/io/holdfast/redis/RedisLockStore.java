package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;

import io.holdfast.LockMode;
import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.redis.LockKeys.Names;
import io.holdfast.redis.connection.LockClient;
import io.holdfast.redis.connection.LockClient.Purpose;
import io.holdfast.redis.connection.LockConnection;
import io.holdfast.redis.connection.LockConnectionFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;

/**
 * Locks on one Redis, or in a Cluster. Keys of one slot are handled in one step, slots
 * one after the other, always in the same order.
 *
 * @since 0.1.0
 */
public final class RedisLockStore implements LockStore, AutoCloseable {

	// Rounds times up to milliseconds
	private static final Duration ALMOST_A_MILLISECOND = Duration.ofNanos(999_999);

	private static final long WAITED_FOR = 2;

	private static final Duration CHECK_EXPIRES = Duration.ofSeconds(1);

	private static final Set<String> FIXED_SERVER = Set.of(
			"org.springframework.data.redis.connection.jedis.JedisConnectionFactory",
			"org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory",
			"org.redisson.spring.data.connection.RedissonConnectionFactory");

	private final LockScript<Long> take = LockScript.replyingNumber("take.lua");

	private final LockScript<Long> free = LockScript.replyingNumber("free.lua");

	private final LockScript<List<?>> acquire = new LockScript<>("acquire.lua", (reply) -> reply);

	private final LockScript<Long> withdraw = LockScript.replyingNumber("withdraw.lua");

	private final LockScript<List<?>> transfer = new LockScript<>("transfer.lua", (reply) -> reply);

	private final LockScript<Long> release = LockScript.replyingNumber("release.lua");

	private final LockScript<Long> keep = LockScript.replyingNumber("keep.lua");

	private final LockScript<Long> downgrade = LockScript.replyingNumber("downgrade.lua");

	private final LockScript<Long> check = LockScript.replyingNumber("check.lua");

	private final LockClient redis;

	private final LockKeys keys;

	private final Slots slots;

	private final SlotRenewals renewals;

	private final ServerKeys servers;

	private final SlotMasters masters;

	private final @Nullable String chooser;

	private final Duration tokenRetention;

	private final ReplicaAcks replicaAcks;

	private final byte[] channelPrefix;

	private final WakeUpChannel wakeUps;

	private final RedisView view;

	/**
	 * Create a store. Replicas may have to confirm its grants: not in a Cluster, nor over
	 * shared connections.
	 * @param connectionFactory where connections come from, or others like them that only
	 * locks use
	 * @param keyPrefix what every key and channel starts with
	 * @param tokenRetention how long a key's last fencing token is remembered after use
	 * @param replicaAcks how many replicas must have a grant
	 */
	public RedisLockStore(RedisConnectionFactory connectionFactory, String keyPrefix, Duration tokenRetention,
			ReplicaAcks replicaAcks) {
		Assert.notNull(connectionFactory, "'connectionFactory' must not be null");
		Assert.notNull(tokenRetention, "'tokenRetention' must not be null");
		Assert.notNull(replicaAcks, "'replicaAcks' must not be null");
		this.keys = new LockKeys(keyPrefix);
		RedisConnectionFactory connections = LockClient.connectionsLike(connectionFactory);
		Assert.isTrue(!replicaAcks.isWanted() || connections instanceof LockConnectionFactory,
				"'connectionFactory' must be one that can be copied for locks when replicas must confirm grants");
		this.chooser = (connections instanceof LockConnectionFactory) ? null : chooser(connectionFactory);
		this.redis = new LockClient(connections);
		this.slots = new Slots(this.redis, this.keys);
		this.servers = new ServerKeys(this.redis, this.keys);
		this.renewals = new SlotRenewals(this.redis, this.keys, tokenRetention);
		this.tokenRetention = tokenRetention;
		this.replicaAcks = replicaAcks;
		this.channelPrefix = LockKeys.bytes(this.keys.channelPrefix());
		this.masters = new SlotMasters(this.redis);
		this.wakeUps = new WakeUpChannel(connections, this.keys);
		this.view = new RedisView(this.redis, this.keys);
	}

	@Override
	public Outcome acquire(Claim claim) {
		refreshMasters();
		Granted taken = takeUncontended(claim);
		return (taken != null) ? taken : this.slots.acquire(claim, this::acquireInSlot);
	}

	private @Nullable Granted takeUncontended(Claim claim) {
		Names names = this.keys.of(claim.keys().get(0));
		boolean general = claim.mode() != LockMode.EXCLUSIVE || claim.keys().size() > 1 || this.replicaAcks.isWanted();
		if (general || this.keys.isContended(names.key())) {
			return null;
		}
		ScriptCall call = ScriptCall.onKeys(names.key(), names.toTake())
			.with(claim.name(), claim.owner(), claim.lease(), remembered(claim));
		long token = this.redis.ask(names.key(), names.lock(), Purpose.ACQUIRE, this.take.question(call));
		this.keys.noteContended(names.key(), token == 0);
		return (token > 0) ? new Granted(claim.granted(List.of(new Grant(names.key(), token)))) : null;
	}

	private Outcome acquireInSlot(Claim claim) {
		ScriptCall call = attempt(claim, claim.lease());
		Function<LockConnection, Outcome> question = this.acquire.question(call)
			.andThen((reply) -> outcome(claim, reply));
		return this.replicaAcks.isWanted()
				? askWithReplicas(call.lock(), (connection) -> replicated(question.apply(connection), connection))
				: this.redis.ask(call.lock(), call.firstKey(), Purpose.ACQUIRE, question);
	}

	// Without more tokens: replicas must confirm the grant of each section
	private Outcome replicated(Outcome outcome, LockConnection connection) {
		if (!(outcome instanceof Granted granted)) {
			return outcome;
		}
		LockStoreException failure = this.replicaAcks.await(connection, "the grant");
		return (failure != null) ? new Incomplete(granted.hold(), null, failure) : new Granted(granted.hold());
	}

	private <T> T askWithReplicas(@Nullable String lock, Function<LockConnection, T> question) {
		if (this.redis.isCluster()) {
			throw new LockStoreException("A Cluster does not support holdfast.redis.replica-acks: unset it", null,
					false);
		}
		return this.redis.ask(lock, null, Purpose.ACQUIRE, question);
	}

	private ScriptCall attempt(Claim claim, Duration lease, Object... more) {
		QueuePlace place = claim.place();
		return ScriptCall.on(this.keys, claim.keys())
			.with(claim.name(), claim.holder(), claim.mode().name().toLowerCase(Locale.ROOT))
			.with(lease, remembered(claim), placeId(claim), (place != null) ? place.kept() : null)
			.with(claim.fair(), this.channelPrefix, claim.permits())
			.with(more)
			.with(claim.keys().toArray());
	}

	private static Outcome outcome(Claim claim, List<?> reply) {
		if ((Long) reply.get(0) == 0) {
			String holder = LockImage.text(reply.get(2));
			return new Denied(holder.isEmpty() ? null : Holder.ownerOf(holder), Duration.ofMillis((Long) reply.get(1)),
					((Long) reply.get(3)).intValue(), ((Long) reply.get(4)).intValue());
		}
		return granted(claim, reply);
	}

	private static Granted granted(Claim claim, List<?> reply) {
		List<String> keys = claim.keys();
		List<Grant> grants = new ArrayList<>(keys.size());
		for (int i = 0; i < keys.size(); i++) {
			grants.add(new Grant(keys.get(i), (Long) reply.get(i)));
		}
		if (keys.size() == 1 && reply.size() == 3) {
			return new Granted(claim.granted(grants), (Long) reply.get(2), (Long) reply.get(1) > 0);
		}
		String holder = (reply.size() > keys.size()) ? LockImage.text(reply.get(keys.size())) : claim.holder();
		return new Granted(new HoldId(holder, List.copyOf(grants)));
	}

	private void refreshMasters() {
		if (this.redis.isKnownAsCluster()) {
			this.masters.refresh();
		}
	}

	@Override
	public Transfer transfer(HoldId hold, Claim successor, boolean yield) {
		if (this.replicaAcks.isWanted()) { // the next grant must be confirmed
			return release(hold, Purpose.HOLD) ? new Freed() : new NotHeld();
		}
		QueuePlace place = Objects.requireNonNull(successor.place());
		Grant grant = hold.grants().get(0);
		ScriptCall call = ScriptCall.on(this.keys, List.of(grant.key()))
			.with(hold.holder(), grant.token(), successor.owner(), successor.name())
			.with(successor.lease(), remembered(successor), yield, place.id(), place.kept())
			.with(this.channelPrefix, grant.key());
		return this.redis.ask(call.lock(), call.firstKey(), Purpose.HOLD,
				this.transfer.question(call).andThen((reply) -> transferred(successor, reply)));
	}

	private static Transfer transferred(Claim successor, List<?> reply) {
		long token = (Long) reply.get(0);
		if (token > 0) {
			return granted(successor, reply);
		}
		return (token < 0) ? new Yielded() : new NotHeld();
	}

	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		refreshMasters();
		return this.renewals.renew(renewals);
	}

	@Override
	public boolean release(HoldId hold) {
		return freeUncontended(hold) || this.slots.allSlots(hold, (part) -> release(part, Purpose.HOLD));
	}

	private boolean release(HoldId hold, Purpose purpose) {
		try {
			long result = this.release.run(this.redis, callOn(hold, this.channelPrefix), purpose);
			hold.grants().forEach((grant) -> this.keys.noteContended(grant.key(), result == WAITED_FOR));
			return result > 0;
		}
		catch (LockStoreException ex) {
			if (LockScript.isMoving(ex)
					&& hold.grants().stream().allMatch((grant) -> free(hold, grant, true, purpose))) {
				return true;
			}
			throw ex;
		}
	}

	// The name of a holder that shares has its claim at the end
	private boolean freeUncontended(HoldId hold) {
		Grant grant = hold.grants().get(0);
		boolean shared = !hold.holder().equals(hold.owner());
		if (shared || hold.grants().size() > 1 || this.keys.isContended(grant.key())) {
			return false;
		}
		return free(hold, grant, false, Purpose.HOLD);
	}

	private boolean free(HoldId hold, Grant grant, boolean waitedFor, Purpose purpose) {
		return this.free.run(this.redis, ScriptCall.onKeys(grant.key(), List.of(this.keys.of(grant.key()).lock()))
			.with(hold.holder(), grant.token(), waitedFor), purpose) == 1;
	}

	@Override
	public boolean keep(HoldId hold, Duration rest) {
		return this.slots.allSlots(hold, (part) -> keep(part, rest, Purpose.HOLD));
	}

	private boolean keep(HoldId hold, Duration rest, Purpose purpose) {
		return this.keep.run(this.redis,
				callOn(hold, rest.plus(ALMOST_A_MILLISECOND), this.tokenRetention, this.channelPrefix), purpose) == 1;
	}

	@Override
	public void end(HoldId hold, Duration rest) {
		this.slots.allSlots(hold, (part) -> (rest.compareTo(Duration.ZERO) > 0) ? keep(part, rest, Purpose.REPEAT)
				: release(part, Purpose.REPEAT));
	}

	@Override
	public boolean downgrade(HoldId hold, int holdCount, @Nullable String passedTo) {
		return this.slots.allSlots(hold, (part) -> this.downgrade.run(this.redis,
				callOn(part, holdCount, passedTo, this.channelPrefix), Purpose.HOLD) == 1);
	}

	@Override
	public void withdraw(Claim claim, Duration refused) {
		this.slots.bySlot(claim.keys(), Function.identity())
			.forEach((group) -> withdrawInSlot(claim.on(group), refused));
	}

	private void withdrawInSlot(Claim claim, Duration refused) {
		String sharer = (claim.mode() == LockMode.SHARED) ? claim.holder() : null;
		this.withdraw.run(this.redis,
				ScriptCall.on(this.keys, claim.keys())
					.with(claim.name(), sharer, refused, placeId(claim), this.channelPrefix)
					.with(claim.keys().toArray()),
				Purpose.REPEAT);
	}

	@Override
	public Check check() {
		try {
			this.servers.all().forEach(this::check);
			return Check.PASSED;
		}
		catch (LockStoreException ex) {
			return new Check(List.of(), ex);
		}
	}

	private void check(byte[] key) {
		ScriptCall call = ScriptCall.onServerOf(key).with(CHECK_EXPIRES, this.keys.channelPrefix() + "nobody");
		if (this.replicaAcks.isWanted()) {
			askWithReplicas(null, (connection) -> {
				this.check.question(call).apply(connection);
				LockStoreException failure = this.replicaAcks.await(connection, "a write");
				if (failure != null) {
					throw failure;
				}
				return true;
			});
		}
		else {
			this.check.run(this.redis, call, Purpose.OPERATE);
		}
	}

	/**
	 * Run a script for held locks of another store that is made of several like this one.
	 * @param script the script
	 * @param locks the names of the locks, whose keys in Redis it gets
	 * @param arguments its arguments, see {@link ScriptCall#with}
	 * @param <T> what its reply means
	 * @return what the reply means
	 * @throws LockStoreException when there is none
	 */
	public <T> T run(LockScript<T> script, List<String> locks, @Nullable Object... arguments) {
		return script.run(this.redis, ScriptCall.on(this.keys, locks).with(arguments), Purpose.HOLD);
	}

	/**
	 * Run a script of such a store that tries to acquire locks as attempt.lua says.
	 * @param script the script
	 * @param claim what is asked for
	 * @param lease how long a grant lasts
	 * @param answer makes the answer of the outcome and of the reply
	 * @param more the arguments between those of attempt.lua and the names of the locks
	 * @param <T> the answer
	 * @return the answer
	 * @throws LockStoreException when there is none
	 */
	public <T> T attempt(LockScript<List<?>> script, Claim claim, Duration lease,
			BiFunction<Outcome, List<?>, T> answer, Object... more) {
		ScriptCall call = attempt(claim, lease, more);
		return this.redis.ask(call.lock(), call.firstKey(), Purpose.ACQUIRE,
				script.question(call).andThen((reply) -> answer.apply(outcome(claim, reply), reply)));
	}

	/**
	 * Return what the channels of all instances start with.
	 * @return the prefix
	 */
	public String channelPrefix() {
		return this.keys.channelPrefix();
	}

	@Override
	public String serverOf(List<String> keys) {
		return this.redis.isKnownAsCluster() ? this.masters.masterOf(keys.stream().map(this.keys::slot).toList()) : "";
	}

	// What the factories of Spring and Redisson do is known
	private static @Nullable String chooser(RedisConnectionFactory factory) {
		String type = ClassUtils.getUserClass(factory).getName();
		return FIXED_SERVER.contains(type) ? null : type;
	}

	@Override
	public @Nullable String chooser() {
		return this.chooser;
	}

	@Override
	public RedisView view() {
		return this.view;
	}

	@Override
	public void listen(String instanceId, WakeUpListener listener) {
		this.wakeUps.open(instanceId, listener);
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
	 * Close idle connections, and those that only locks use.
	 */
	@Override
	public void close() {
		this.redis.close();
	}

	private ScriptCall callOn(HoldId hold, @Nullable Object... arguments) {
		ScriptCall call = ScriptCall.on(this.keys, hold.keys()).with(hold.holder()).with(arguments);
		hold.grants().forEach((grant) -> call.with(grant.token(), grant.key()));
		return call;
	}

	private Duration remembered(Claim claim) {
		return claim.lease().plus(this.tokenRetention);
	}

	private static @Nullable String placeId(Claim claim) {
		return (claim.place() != null) ? claim.place().id() : null;
	}

}
