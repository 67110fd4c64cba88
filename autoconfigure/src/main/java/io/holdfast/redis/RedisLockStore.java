package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.holdfast.engine.store.LockStore;
import io.holdfast.engine.store.LockStoreException;
import io.holdfast.engine.store.StoreView;
import io.holdfast.redis.cluster.SlotExecutors;
import io.holdfast.redis.cluster.SlotMasters;
import io.holdfast.redis.cluster.SlotRenewals;
import io.holdfast.redis.cluster.Slots;
import io.holdfast.redis.connection.LockConnectionFactory;
import io.holdfast.redis.connection.LockClient;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.Assert;

/**
 * Locks on one Redis, which may be a Cluster. Keys that are in one slot are dealt with in
 * one step; those in several slots one slot after the other, always in the same order.
 *
 * @since 0.1.0
 */
public final class RedisLockStore implements LockStore, AutoCloseable {

	/**
	 * Stands for the masters of a Cluster when there are keys on several.
	 */
	private static final String SEVERAL_MASTERS = "several";

	private final LockClient redis;

	private final Slots slots;

	private final SlotLocks locks;

	private final SlotMasters masters;

	private final SlotRenewals renewals;

	private final ReplicaAcks replicaAcks;

	private final WakeUpChannel wakeUps;

	private final StoreView view;

	/**
	 * Create a store.
	 * @param connectionFactory where connections come from, or others like them that only
	 * locks use
	 * @param keyPrefix what every key and channel starts with
	 * @param instanceId identity of this instance, whose channel it listens to
	 * @param tokenRetention how long a key's last fencing token is remembered after use
	 * @param views makes what operators see
	 */
	public RedisLockStore(RedisConnectionFactory connectionFactory, String keyPrefix, String instanceId,
			Duration tokenRetention, ViewFactory views) {
		this(connectionFactory, keyPrefix, instanceId, tokenRetention, ReplicaAcks.NONE, views);
	}

	/**
	 * Create a store whose grants may have to be confirmed by replicas, which is not for
	 * a Cluster, nor for connections that an application makes in a way of its own.
	 * @param connectionFactory where connections come from, or others like them that only
	 * locks use
	 * @param keyPrefix what every key and channel starts with
	 * @param instanceId identity of this instance, whose channel it listens to
	 * @param tokenRetention how long a key's last fencing token is remembered after use
	 * @param replicaAcks how many replicas must have a grant
	 * @param views makes what operators see
	 */
	public RedisLockStore(RedisConnectionFactory connectionFactory, String keyPrefix, String instanceId,
			Duration tokenRetention, ReplicaAcks replicaAcks, ViewFactory views) {
		Assert.notNull(connectionFactory, "'connectionFactory' must not be null");
		Assert.hasText(instanceId, "'instanceId' must not be null or blank");
		Assert.notNull(tokenRetention, "'tokenRetention' must not be null");
		Assert.notNull(replicaAcks, "'replicaAcks' must not be null");
		Assert.notNull(views, "'views' must not be null");
		LockKeys keys = new LockKeys(keyPrefix);
		RedisConnectionFactory connections = LockClient.connectionsLike(connectionFactory);
		Assert.isTrue(!replicaAcks.isWanted() || connections instanceof LockConnectionFactory,
				"'connectionFactory' must not make connections in a way of its own where replicas are waited for");
		this.redis = new LockClient(connections);
		this.slots = new Slots(this.redis, keys::slot);
		this.locks = new SlotLocks(this.redis, keys, tokenRetention, replicaAcks);
		SlotExecutors executors = new SlotExecutors(this.redis);
		this.masters = executors.masters();
		this.renewals = new SlotRenewals((renewals) -> this.locks.renew(renewals, null), this.slots, executors);
		this.replicaAcks = replicaAcks;
		this.wakeUps = new WakeUpChannel(connections, keys.channelPrefix(), instanceId);
		this.view = views.create(this.redis, keys, instanceId);
	}

	@Override
	public Outcome acquire(Claim claim) {
		if (this.redis.isKnownAsCluster()) {
			this.masters.refresh();
		}
		List<List<String>> groups = this.slots.group(claim.keys(), Function.identity());
		if (groups.size() == 1) {
			return this.locks.acquire(claim);
		}
		List<Grant> granted = new ArrayList<>();
		for (List<String> group : groups) {
			try {
				Outcome outcome = this.locks.acquire(claim.on(group));
				if (outcome instanceof Denied denied) {
					return granted.isEmpty() ? denied : Incomplete.denied(claim.granted(List.copyOf(granted)), denied);
				}
				granted.addAll(((Granted) outcome).grants());
			}
			catch (LockStoreException ex) {
				if (granted.isEmpty()) {
					throw ex;
				}
				return Incomplete.failed(claim.granted(List.copyOf(granted)), ex);
			}
		}
		return new Granted(claim.granted(inOrder(claim.keys(), granted)));
	}

	private static List<Grant> inOrder(List<String> keys, List<Grant> grants) {
		Map<String, Grant> byKey = grants.stream().collect(Collectors.toMap(Grant::key, Function.identity()));
		return keys.stream().map(byKey::get).toList();
	}

	@Override
	public Transfer transfer(HoldId hold, Claim successor, boolean yield) {
		if (this.replicaAcks.isWanted()) {
			return release(hold, 0) ? new Freed() : new NotHeld();
		}
		return this.locks.transfer(hold, successor, yield);
	}

	@Override
	public @Nullable Duration reenter(HoldId hold, int holdCount, Duration lease) {
		List<@Nullable Duration> parts = new ArrayList<>();
		for (HoldId part : parts(hold)) {
			parts.addAll(this.locks.renew(List.of(new Renewal(part, lease)), holdCount));
		}
		return Durations.shortest(parts);
	}

	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		return this.renewals.renew(renewals);
	}

	@Override
	public boolean release(HoldId hold, int holdCount) {
		return all(hold, (part) -> this.locks.release(part, holdCount));
	}

	@Override
	public boolean keep(HoldId hold, Duration rest) {
		return all(hold, (part) -> this.locks.keep(part, rest));
	}

	@Override
	public boolean downgrade(HoldId hold, int holdCount) {
		return all(hold, (part) -> this.locks.downgrade(part, holdCount));
	}

	/**
	 * Do something with each part of a hold; what fails with one of them does not keep
	 * the others from it.
	 */
	private boolean all(HoldId hold, Predicate<HoldId> action) {
		boolean all = true;
		LockStoreException failure = null;
		for (HoldId part : parts(hold)) {
			try {
				all &= action.test(part);
			}
			catch (LockStoreException ex) {
				failure = ex;
			}
		}
		if (failure != null) {
			throw failure;
		}
		return all;
	}

	private List<HoldId> parts(HoldId hold) {
		List<List<Grant>> groups = this.slots.group(hold.grants(), Grant::key);
		return (groups.size() == 1) ? List.of(hold)
				: groups.stream().map((group) -> new HoldId(hold.holder(), List.copyOf(group))).toList();
	}

	@Override
	public void withdraw(Claim claim, Duration refused) {
		for (List<String> group : this.slots.group(claim.keys(), Function.identity())) {
			this.locks.withdraw(Withdrawal.of(claim.on(group), refused));
		}
	}

	@Override
	public void ping() {
		this.redis.execute(RedisConnection::ping);
	}

	@Override
	public List<NodeStatus> nodes() {
		return List.of();
	}

	@Override
	public String serverOf(List<String> keys) {
		if (!this.redis.isKnownAsCluster()) {
			return "";
		}
		List<String> servers = keys.stream()
			.map((key) -> this.masters.masterOf(this.slots.slotOf(key)))
			.distinct()
			.limit(2)
			.toList();
		return (servers.size() == 1) ? servers.get(0) : SEVERAL_MASTERS;
	}

	@Override
	public StoreView view() {
		return this.view;
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
	 * Close connections that were kept for later, or that only locks use.
	 */
	@Override
	public void close() {
		this.redis.close();
	}

	/**
	 * Makes what operators see of the locks of all instances.
	 */
	@FunctionalInterface
	public interface ViewFactory {

		/**
		 * Create a view.
		 * @param redis the server, or the Cluster
		 * @param keys the names of keys
		 * @param instanceId identity of this instance
		 * @return the view
		 */
		StoreView create(LockClient redis, LockKeys keys, String instanceId);

	}

}
