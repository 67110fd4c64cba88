package io.holdfast.redis;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;

import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStoreException;
import io.holdfast.redis.connection.LockClient;
import io.holdfast.redis.connection.LockClient.Purpose;
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

	private static final Set<String> ONE_SERVER = Set.of(
			"org.springframework.data.redis.connection.jedis.JedisConnectionFactory",
			"org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory",
			"org.redisson.spring.data.connection.RedissonConnectionFactory");

	private final LockClient redis;

	private final LockKeys keys;

	private final Slots slots;

	private final SlotLocks locks;

	private final ServerKeys servers;

	private final SlotMasters masters;

	private final @Nullable String chooser;

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
		this.locks = new SlotLocks(this.redis, this.keys, tokenRetention, replicaAcks);
		this.masters = new SlotMasters(this.redis);
		this.wakeUps = new WakeUpChannel(connections, this.keys);
		this.view = new RedisView(this.redis, this.keys);
	}

	@Override
	public Outcome acquire(Claim claim) {
		refreshMasters();
		Granted taken = this.locks.take(claim);
		return (taken != null) ? taken : this.slots.acquire(claim, this.locks::acquire);
	}

	private void refreshMasters() {
		if (this.redis.isKnownAsCluster()) {
			this.masters.refresh();
		}
	}

	@Override
	public Transfer transfer(HoldId hold, Claim successor, boolean yield) {
		return this.locks.transfer(hold, successor, yield);
	}

	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		refreshMasters();
		return this.locks.renew(renewals);
	}

	@Override
	public boolean release(HoldId hold) {
		return this.locks.free(hold) || this.slots.all(hold, (part) -> this.locks.release(part, Purpose.HOLD));
	}

	@Override
	public boolean keep(HoldId hold, Duration rest) {
		return this.slots.all(hold, (part) -> this.locks.keep(part, rest, Purpose.HOLD));
	}

	@Override
	public void end(HoldId hold, Duration rest) {
		this.slots.all(hold, (part) -> (rest.compareTo(Duration.ZERO) > 0) ? this.locks.keep(part, rest, Purpose.REPEAT)
				: this.locks.release(part, Purpose.REPEAT));
	}

	@Override
	public boolean downgrade(HoldId hold, int holdCount, @Nullable String passedTo) {
		return this.slots.all(hold, (part) -> this.locks.downgrade(part, holdCount, passedTo));
	}

	@Override
	public void withdraw(Claim claim, Duration refused) {
		this.slots.group(claim.keys(), Function.identity())
			.forEach((group) -> this.locks.withdraw(claim.on(group), refused));
	}

	@Override
	public Check check() {
		try {
			this.servers.all().values().forEach(this.locks::check);
			return Check.PASSED;
		}
		catch (LockStoreException ex) {
			return new Check(List.of(), ex);
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
		return script.run(this.redis, this.locks.attempt(claim, lease, more), Purpose.ACQUIRE,
				(reply) -> answer.apply(SlotLocks.outcome(claim, reply), reply));
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
		return this.redis.isKnownAsCluster() ? this.masters.masterOf(keys.stream().map(this.slots::slotOf).toList())
				: "";
	}

	// What the factories of Spring and Redisson do is known
	private static @Nullable String chooser(RedisConnectionFactory factory) {
		String type = ClassUtils.getUserClass(factory).getName();
		return ONE_SERVER.contains(type) ? null : type;
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

}
