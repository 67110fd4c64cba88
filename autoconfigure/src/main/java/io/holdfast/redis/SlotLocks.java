package io.holdfast.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.holdfast.engine.store.LockStore.Claim;
import io.holdfast.engine.store.LockStore.Denied;
import io.holdfast.engine.store.LockStore.Grant;
import io.holdfast.engine.store.LockStore.Granted;
import io.holdfast.engine.store.LockStore.HoldId;
import io.holdfast.engine.store.LockStore.Incomplete;
import io.holdfast.engine.store.LockStore.NotHeld;
import io.holdfast.engine.store.LockStore.Outcome;
import io.holdfast.engine.store.LockStore.QueuePlace;
import io.holdfast.engine.store.LockStore.Renewal;
import io.holdfast.engine.store.LockStore.Transfer;
import io.holdfast.engine.store.LockStore.Transferred;
import io.holdfast.engine.store.LockStore.Yielded;
import io.holdfast.engine.store.LockStoreException;
import io.holdfast.engine.store.StoreView.Holder;
import io.holdfast.redis.LockKeys.Names;
import io.holdfast.redis.connection.LockConnection;
import io.holdfast.redis.connection.LockClient;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Locks whose keys are in one slot of one Redis: each operation is one Lua script.
 */
public final class SlotLocks {

	/**
	 * Has times rounded up to milliseconds.
	 */
	private static final Duration ALMOST_A_MILLISECOND = Duration.ofNanos(999_999);

	private static final List<byte[]> NO_TOKEN = List.of(new byte[0], new byte[0]);

	private final LockScript<List<?>> acquire = new LockScript<>("acquire.lua", (reply) -> (List<?>) reply);

	private final LockScript<Confirmation> confirm = new LockScript<>("confirm.lua", SlotLocks::confirmation);

	private final LockScript<Boolean> withdraw = new LockScript<>("withdraw.lua", (reply) -> (Long) reply == 1);

	private final LockScript<Transfer> transfer = new LockScript<>("transfer.lua", SlotLocks::transferred);

	private final LockScript<List<@Nullable Duration>> renew = new LockScript<>("renew.lua", SlotLocks::remaining);

	private final LockScript<Boolean> release = new LockScript<>("release.lua", (reply) -> (Long) reply == 1);

	private final LockScript<Boolean> keep = new LockScript<>("keep.lua", (reply) -> (Long) reply == 1);

	private final LockScript<Boolean> downgrade = new LockScript<>("downgrade.lua", (reply) -> (Long) reply == 1);

	/**
	 * Replies a token and the time for which it is remembered, as texts.
	 */
	private final LockScript<List<byte[]>> takeToken = new LockScript<>("taketoken.lua", SlotLocks::token);

	private final LockClient redis;

	private final LockKeys keys;

	private final Duration tokenRetention;

	private final ReplicaAcks replicaAcks;

	private final byte[] channelPrefix;

	/**
	 * Create locks.
	 * @param redis the server, or the Cluster
	 * @param keys the names of keys
	 * @param tokenRetention how long a key's last fencing token is remembered after use
	 * @param replicaAcks how many replicas must have a grant
	 */
	public SlotLocks(LockClient redis, LockKeys keys, Duration tokenRetention, ReplicaAcks replicaAcks) {
		this.redis = redis;
		this.keys = keys;
		this.tokenRetention = tokenRetention;
		this.replicaAcks = replicaAcks;
		this.channelPrefix = LockKeys.bytes(keys.channelPrefix());
	}

	Outcome acquire(Claim claim) {
		ScriptCall call = acquisition(claim, claim.lease(), 1);
		if (this.replicaAcks.isWanted()) {
			return replicated(claim, call);
		}
		try {
			return outcome(claim, askForLock(claim, call));
		}
		catch (LockStoreException ex) {
			if (claim.keys().size() > 1 || !isMoving(ex)) {
				throw ex;
			}
			return acquireWhileMoving(claim);
		}
	}

	/**
	 * Acquire a lock whose slot is being moved, without waiting in its queue: that may
	 * still be on the other node, and would not be let in where there is one already.
	 */
	private Outcome acquireWhileMoving(Claim claim) {
		String key = claim.keys().get(0);
		Names names = this.keys.of(key);
		List<byte[]> token = this.takeToken.run(this.redis, key, ScriptCall.onKey(names.token()).with(names.lock()));
		ScriptCall call = acquisition(claim.at(null), claim.lease(), 1).whileMoving(token);
		return outcome(claim, this.acquire.whileMoving().run(this.redis, key, call));
	}

	private static List<byte[]> token(Object reply) {
		List<?> values = (List<?>) reply;
		return List.of((byte[]) values.get(0), LockKeys.bytes(values.get(1).toString()));
	}

	/**
	 * Try to get locks that do not count before they are confirmed.
	 * @param claim what is asked for
	 * @param lease how long to keep them for that
	 * @return what has become of it
	 */
	public Attempt acquireTentatively(Claim claim, Duration lease) {
		List<?> reply = askForLock(claim, acquisition(claim, lease, 0));
		Outcome outcome = outcome(claim, reply);
		boolean behind = outcome instanceof Denied && reply.size() > 3;
		return new Attempt(outcome, behind ? text((byte[]) reply.get(3)) : null);
	}

	private List<?> askForLock(Claim claim, ScriptCall call) {
		return this.acquire.run(this.redis, claim.keys().get(0), call);
	}

	private ScriptCall acquisition(Claim claim, Duration lease, int holdCount) {
		List<Names> locks = names(claim.keys());
		QueuePlace place = claim.place();
		ScriptCall call = ScriptCall.on(locks)
			.with(claim.name())
			.with(claim.holder())
			.with(claim.mode().name().toLowerCase(Locale.ROOT))
			.with(lease)
			.with(remembered(claim.lease()))
			.with(holdCount);
		call = (place != null) ? call.with(place.id()).with(place.kept()) : call.withNothing().withNothing();
		call.with(claim.fair() ? 1 : 0).with(claim.nested() ? 1 : 0).with(this.channelPrefix);
		for (Names lock : locks) {
			call.with(lock.name());
		}
		return call;
	}

	/**
	 * Acquire, and have replicas confirm it: on the same connection, since that is whose
	 * writes Redis waits for.
	 */
	private Outcome replicated(Claim claim, ScriptCall call) {
		if (this.redis.isCluster()) {
			throw new LockStoreException(
					"Replicas of a Cluster cannot be waited for: unset holdfast.redis.replica-acks", null, false);
		}
		try {
			return this.redis.askAlone(claim.keys().get(0), (connection) -> {
				Outcome outcome = outcome(claim, this.acquire.run(connection, call));
				if (outcome instanceof Granted granted) {
					requireReplicas(connection, granted);
				}
				return outcome;
			});
		}
		catch (UnconfirmedGrantException ex) {
			return Incomplete.failed(ex.granted(), ex);
		}
	}

	/**
	 * Throws, so that the connection is not used again: its server may be the master no
	 * more.
	 */
	private void requireReplicas(LockConnection connection, Granted granted) {
		long replicas = this.replicaAcks.await(connection);
		if (replicas < this.replicaAcks.replicas()) {
			throw new UnconfirmedGrantException(granted.hold(),
					"%d of %d replicas confirmed the grant within %d ms, so it is taken back".formatted(replicas,
							this.replicaAcks.replicas(), this.replicaAcks.timeout().toMillis()));
		}
	}

	private static Outcome outcome(Claim claim, List<?> reply) {
		if ((Long) reply.get(0) == 0) {
			return new Denied(owner((byte[]) reply.get(2)), Duration.ofMillis((Long) reply.get(1)));
		}
		List<String> keys = claim.keys();
		List<Grant> grants = new ArrayList<>(keys.size());
		for (int i = 0; i < keys.size(); i++) {
			grants.add(new Grant(keys.get(i), (Long) reply.get(i)));
		}
		String holder = (reply.size() > keys.size()) ? text((byte[]) reply.get(keys.size())) : claim.holder();
		return new Granted(new HoldId(String.valueOf(holder), List.copyOf(grants)));
	}

	/**
	 * Make tentative grants count, and last for the whole lease from now on.
	 * @param claim what was asked for
	 * @param granted what has been granted here, or {@code null} to only raise the last
	 * tokens
	 * @param agreed the tokens that the locks get
	 * @return whether they count now
	 */
	public Confirmation confirm(Claim claim, @Nullable List<Grant> granted, List<Grant> agreed) {
		ScriptCall call = ScriptCall.on(names(claim.keys()))
			.with(claim.holder())
			.with(claim.lease())
			.with(remembered(claim.lease()));
		QueuePlace place = claim.place();
		call = (place != null) ? call.with(place.id()) : call.withNothing();
		for (int i = 0; i < agreed.size(); i++) {
			call.with((granted != null) ? granted.get(i).token() : 0).with(agreed.get(i).token());
		}
		return run(claim.keys(), this.confirm, call);
	}

	private static Confirmation confirmation(Object reply) {
		List<?> values = (List<?>) reply;
		return new Confirmation((Long) values.get(0) == 1, (Long) values.get(1) == 1);
	}

	/**
	 * Take away what has been granted.
	 * @param withdrawal what is to be taken away
	 * @return whether all of the locks were held with the tokens agreed on
	 */
	public boolean withdraw(Withdrawal withdrawal) {
		List<Names> locks = names(withdrawal.keys());
		ScriptCall call = ScriptCall.on(locks)
			.with(withdrawal.claimName())
			.with(withdrawal.sharer())
			.with(withdrawal.refused())
			.with(withdrawal.placeId())
			.with(withdrawal.holder())
			.with(this.channelPrefix);
		for (int i = 0; i < locks.size(); i++) {
			call.with(locks.get(i).name()).with(withdrawal.granted(i)).with(withdrawal.agreed(i));
		}
		return run(withdrawal.keys(), this.withdraw, call);
	}

	Transfer transfer(HoldId hold, Claim successor, boolean yield) {
		Names names = names(hold.keys()).get(0);
		QueuePlace place = successor.place();
		Assert.state(place != null, "Only a waiter can be handed a lock");
		return run(hold.keys(), this.transfer,
				ScriptCall.on(List.of(names))
					.with(hold.holder())
					.with(hold.grants().get(0).token())
					.with(successor.owner())
					.with(successor.name())
					.with(successor.lease())
					.with(remembered(successor.lease()))
					.with(yield ? 1 : 0)
					.with(place.id())
					.with(place.kept())
					.with(this.channelPrefix)
					.with(names.name()));
	}

	private static Transfer transferred(Object reply) {
		List<?> values = (List<?>) reply;
		long token = (Long) values.get(0);
		if (token > 0) {
			return new Transferred(token, (Long) values.get(1) == 1);
		}
		return (token < 0) ? new Yielded() : new NotHeld();
	}

	/**
	 * Renew holds.
	 * @param renewals the holds, and how long each is to last
	 * @param holdCount the count they get, or {@code null} to leave it
	 * @return how long each lasts, or {@code null} when it is not held any more
	 */
	public List<@Nullable Duration> renew(List<Renewal> renewals, @Nullable Integer holdCount) {
		try {
			return shortest(renewals, renewKeys(renewals, holdCount));
		}
		catch (LockStoreException ex) {
			if (!isMoving(ex)) {
				throw ex;
			}
			List<@Nullable Duration> ofKeys = new ArrayList<>();
			for (Renewal renewal : renewals) {
				for (Grant grant : renewal.hold().grants()) {
					HoldId one = new HoldId(renewal.hold().holder(), List.of(grant));
					ofKeys.addAll(renewKeys(List.of(new Renewal(one, renewal.lease())), holdCount));
				}
			}
			return shortest(renewals, ofKeys);
		}
	}

	private List<@Nullable Duration> renewKeys(List<Renewal> renewals, @Nullable Integer holdCount) {
		List<String> held = new ArrayList<>();
		renewals.forEach((renewal) -> held.addAll(renewal.hold().keys()));
		ScriptCall call = ScriptCall.on(names(held)).with(this.tokenRetention);
		for (Renewal renewal : renewals) {
			for (Grant grant : renewal.hold().grants()) {
				call.with(renewal.hold().holder()).with(grant.token()).with(renewal.lease());
				call = (holdCount != null) ? call.with(holdCount) : call.withNothing();
			}
		}
		return run(held, this.renew, call);
	}

	/**
	 * A hold lasts as long as each of its keys does.
	 */
	private static List<@Nullable Duration> shortest(List<Renewal> renewals, List<@Nullable Duration> ofKeys) {
		List<@Nullable Duration> ofHolds = new ArrayList<>(renewals.size());
		int next = 0;
		for (Renewal renewal : renewals) {
			int end = next + renewal.hold().grants().size();
			ofHolds.add(Durations.shortest(ofKeys.subList(next, end)));
			next = end;
		}
		return ofHolds;
	}

	private static List<@Nullable Duration> remaining(Object reply) {
		List<@Nullable Duration> remaining = new ArrayList<>();
		for (Object value : (List<?>) reply) {
			long millis = (Long) value;
			remaining.add((millis > 0) ? Duration.ofMillis(millis) : null);
		}
		return remaining;
	}

	/**
	 * Release a hold, or one of its acquisitions.
	 * @param hold the hold
	 * @param holdCount how many acquisitions are left of it
	 * @return whether it was held until now
	 */
	public boolean release(HoldId hold, int holdCount) {
		return run(hold.keys(), this.release, reduction(hold, holdCount));
	}

	/**
	 * End a hold, and keep its locks from all others for a time.
	 * @param hold the hold
	 * @param rest how long
	 * @return whether it was held until now
	 */
	public boolean keep(HoldId hold, Duration rest) {
		ScriptCall call = ScriptCall.on(names(hold.keys()))
			.with(hold.holder())
			.with(rest.plus(ALMOST_A_MILLISECOND))
			.with(this.tokenRetention)
			.with(this.channelPrefix);
		return run(hold.keys(), this.keep, withTokens(call, hold));
	}

	/**
	 * Have a hold share its lock from now on.
	 * @param hold the hold
	 * @param holdCount how many acquisitions are left of it
	 * @return whether it was held until now
	 */
	public boolean downgrade(HoldId hold, int holdCount) {
		return this.downgrade.runReserved(this.redis, hold.grants().get(0).key(), reduction(hold, holdCount));
	}

	private ScriptCall reduction(HoldId hold, int holdCount) {
		ScriptCall call = ScriptCall.on(names(hold.keys()))
			.with(hold.holder())
			.with(holdCount)
			.with(this.channelPrefix);
		return withTokens(call, hold);
	}

	private ScriptCall withTokens(ScriptCall call, HoldId hold) {
		for (Grant grant : hold.grants()) {
			call.with(grant.token()).with(this.keys.of(grant.key()).name());
		}
		return call;
	}

	private List<Names> names(List<String> lockKeys) {
		return (lockKeys.size() == 1) ? List.of(this.keys.of(lockKeys.get(0)))
				: lockKeys.stream().map(this.keys::of).toList();
	}

	/**
	 * Run a script about what is held. While the slot of a lock is being moved, all goes
	 * on where its hash is. A script that is given all keys would wait for the end of
	 * that; one that makes a key beside the hash cannot be run in this way.
	 */
	private <T extends @Nullable Object> T run(List<String> lockKeys, LockScript<T> script, ScriptCall call) {
		try {
			return script.runReserved(this.redis, lockKeys.get(0), call);
		}
		catch (LockStoreException ex) {
			if (lockKeys.size() > 1 || !isMoving(ex)) {
				throw ex;
			}
			return script.whileMoving().runReserved(this.redis, lockKeys.get(0), call.whileMoving(NO_TOKEN));
		}
	}

	/**
	 * Return whether a node of a Cluster cannot answer for the time that a slot is being
	 * moved.
	 */
	private static boolean isMoving(LockStoreException failure) {
		return String.valueOf(failure.getMessage()).contains("TRYAGAIN");
	}

	/**
	 * Return how long the last token of a key is remembered when the lock has just been
	 * granted.
	 */
	private Duration remembered(Duration lease) {
		return lease.plus(this.tokenRetention);
	}

	private static @Nullable String owner(byte[] reply) {
		String holder = text(reply);
		return (holder != null) ? Holder.ownerOf(holder) : null;
	}

	private static @Nullable String text(byte[] reply) {
		return (reply.length > 0) ? new String(reply, StandardCharsets.UTF_8) : null;
	}

}
