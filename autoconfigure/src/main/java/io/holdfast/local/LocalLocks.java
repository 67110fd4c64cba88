package io.holdfast.local;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.holdfast.concurrent.MonotonicClock;
import io.holdfast.engine.store.LockStore.Claim;
import io.holdfast.engine.store.LockStore.Gone;
import io.holdfast.engine.store.LockStore.Grant;
import io.holdfast.engine.store.LockStore.Granted;
import io.holdfast.engine.store.LockStore.HoldId;
import io.holdfast.engine.store.LockStore.NotHeld;
import io.holdfast.engine.store.LockStore.Outcome;
import io.holdfast.engine.store.LockStore.QueuePlace;
import io.holdfast.engine.store.LockStore.Renewal;
import io.holdfast.engine.store.LockStore.RenewalOutcome;
import io.holdfast.engine.store.LockStore.Renewed;
import io.holdfast.engine.store.LockStore.Transfer;
import io.holdfast.engine.store.LockStore.Yielded;
import io.holdfast.engine.store.StoreView.ForcedRelease;
import io.holdfast.engine.store.StoreView.Holder;
import io.holdfast.engine.store.StoreView.KeyState;
import io.holdfast.local.LocalLock.Share;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Locks that are kept in memory. Several {@link LocalLockStore}s that share them exclude
 * each other, as applications that share a Redis do.
 *
 * <p>
 * One monitor guards everything: each operation is one step, as a script in Redis is.
 * Wake-ups are sent after it has been left.
 *
 * @since 0.1.0
 */
public final class LocalLocks {

	private static final Map<String, LocalLocks> ofJvm = new ConcurrentHashMap<>();

	private final MonotonicClock clock;

	private final LocalTable table;

	private final LocalListeners listeners = new LocalListeners();

	/**
	 * Create locks.
	 */
	public LocalLocks() {
		this(MonotonicClock.SYSTEM, InstantSource.system());
	}

	/**
	 * Create locks with clocks of their own.
	 * @param clock decides when leases expire
	 * @param wallClock source of fencing tokens
	 */
	public LocalLocks(MonotonicClock clock, InstantSource wallClock) {
		Assert.notNull(clock, "'clock' must not be null");
		Assert.notNull(wallClock, "'wallClock' must not be null");
		this.clock = clock;
		this.table = new LocalTable(wallClock);
	}

	/**
	 * Return the locks that all applications in this JVM share, as they would share a
	 * Redis.
	 * @param keyPrefix what the keys begin with; another prefix means other locks
	 * @return the locks
	 */
	public static LocalLocks ofJvm(String keyPrefix) {
		return ofJvm.computeIfAbsent(keyPrefix, (prefix) -> new LocalLocks());
	}

	/**
	 * Return who is told of what happens to locks.
	 */
	LocalListeners listeners() {
		return this.listeners;
	}

	Outcome acquire(Claim claim) {
		return step((wakeUps) -> new LocalAcquisition(this.table, claim, wakeUps).run(this.clock.nanos()));
	}

	Transfer transfer(HoldId hold, Claim successor, boolean yield) {
		return step((wakeUps) -> transfer(hold, successor, yield, this.clock.nanos(), wakeUps));
	}

	private Transfer transfer(HoldId hold, Claim successor, boolean yield, long now, List<WakeUp> wakeUps) {
		Grant grant = hold.grants().get(0);
		LocalLock lock = this.table.lock(grant.key(), now);
		if (lock.held(hold.holder(), grant.token()) == null) {
			Share handed = lock.claimed(successor);
			this.table.forget(grant.key(), lock);
			if (handed != null && handed.token() > grant.token()
					&& lock.held(successor.holder(), handed.token()) != null) {
				return granted(successor, handed, handed.token(), lock);
			}
			return new NotHeld();
		}
		lock.takeAway(hold.holder());
		QueuePlace place = successor.place();
		if (place != null) {
			lock.giveUpPlace(place.id());
		}
		if (lock.hasWaiters() && (yield || place == null || lock.hasFairWaiters())) {
			if (place != null) {
				lock.keepPlace(successor, place, false, now);
			}
			lock.wakeFront(grant.key(), wakeUps);
			return new Yielded();
		}
		Share share = new Share(successor.name(), this.table.nextTokens(grant.token()),
				now + LocalTable.nanos(successor.lease()), true);
		lock.grant(successor.holder(), successor.mode(), share);
		return granted(successor, share, this.table.lastToken(), lock);
	}

	private static Granted granted(Claim successor, Share share, long lastToken, LocalLock lock) {
		Grant grant = new Grant(successor.keys().get(0), share.token());
		return new Granted(successor.granted(List.of(grant)), lastToken, lock.hasWaiters());
	}

	List<RenewalOutcome> renew(List<Renewal> renewals) {
		return step((wakeUps) -> renewals.stream().map((renewal) -> prolong(renewal)).toList());
	}

	private RenewalOutcome prolong(Renewal renewal) {
		long now = this.clock.nanos();
		return renewal.hold()
			.grants()
			.stream()
			.map((grant) -> prolong(renewal, grant, now))
			.reduce(RenewalOutcome::and)
			.orElseThrow();
	}

	private RenewalOutcome prolong(Renewal renewal, Grant grant, long now) {
		String holder = renewal.hold().holder();
		LocalLock lock = this.table.lock(grant.key(), now);
		Share share = lock.held(holder, grant.token());
		if (share == null) {
			this.table.forget(grant.key(), lock);
			return new Gone();
		}
		Share longer = share.lasting(now + LocalTable.nanos(renewal.lease()))
			.count(Objects.requireNonNullElse(renewal.holdCount(), share.count()));
		if (renewal.passedTo() != null && !lock.isShared()) {
			longer = longer.passedTo(renewal.passedTo());
		}
		lock.replace(holder, longer);
		return new Renewed(Duration.ofNanos(longer.ends() - now));
	}

	boolean release(HoldId hold) {
		return forEach(hold, true, (lock, share) -> {
			lock.takeAway(hold.holder());
			return true;
		});
	}

	/**
	 * Those in front are told to come and learn for how long it is kept.
	 */
	boolean keep(HoldId hold, Duration rest) {
		return step((wakeUps) -> {
			boolean all = true;
			for (Grant grant : hold.grants()) {
				long now = this.clock.nanos();
				LocalLock lock = this.table.lock(grant.key(), now);
				all &= lock.keep(hold.holder(), grant.token(), now + LocalTable.nanos(rest));
				lock.first().ifPresent((placeId) -> wakeUps.add(WakeUp.of(grant.key(), placeId)));
				this.table.forget(grant.key(), lock);
			}
			return all;
		});
	}

	boolean downgrade(HoldId hold, int holdCount, @Nullable String passedTo) {
		return forEach(hold, false, (lock, share) -> {
			if (lock.isShared()) {
				return false;
			}
			lock.downgrade();
			lock.replace(hold.holder(), share.count(holdCount).passedTo(passedTo));
			return true;
		});
	}

	/**
	 * Change what is held of each key of a hold.
	 * @param ends whether the hold ends: its lease may have run out a moment ago, which
	 * is not told
	 * @return whether all of it is held
	 */
	private boolean forEach(HoldId hold, boolean ends, Change change) {
		return step((wakeUps) -> {
			boolean all = true;
			for (Grant grant : hold.grants()) {
				LocalLock lock = this.table.lock(grant.key(), this.clock.nanos());
				Share share = lock.held(hold.holder(), grant.token());
				all &= share != null;
				if ((share != null) ? change.apply(lock, share) : ends) {
					lock.wakeFront(grant.key(), wakeUps);
				}
				this.table.forget(grant.key(), lock);
			}
			return all;
		});
	}

	void withdraw(Claim claim, Duration refused) {
		step((wakeUps) -> {
			for (String key : claim.keys()) {
				long now = this.clock.nanos();
				LocalLock lock = this.table.lock(key, now);
				boolean taken = lock.withdraw(claim, now + LocalTable.nanos(refused), now);
				if (taken || claim.place() != null) {
					lock.wakeFront(key, wakeUps);
				}
				this.table.forget(key, lock);
			}
			return claim;
		});
	}

	/**
	 * Return what is known of a key, or {@code null} when it has neither holder nor
	 * waiter.
	 */
	@Nullable KeyState look(String key) {
		return step((wakeUps) -> {
			long now = this.clock.nanos();
			LocalLock lock = this.table.lock(key, now);
			this.table.forget(key, lock);
			return (lock.isTaken() || lock.hasWaiters()) ? lock.state(key, now) : null;
		});
	}

	List<String> heldKeys() {
		return step((wakeUps) -> this.table.heldKeys(this.clock.nanos()));
	}

	/**
	 * Release a lock by force: take it from all who have it, or from who has it with a
	 * token, and tell those who held it.
	 */
	ForcedRelease forceRelease(String key, @Nullable Long token) {
		return step((wakeUps) -> {
			long now = this.clock.nanos();
			LocalLock lock = this.table.lock(key, now);
			KeyState before = lock.state(key, now);
			List<Holder> freed = lock.free(token, now);
			if (!freed.isEmpty()) {
				lock.wakeFront(key, wakeUps);
			}
			freed.stream()
				.filter((holder) -> !holder.kept())
				.forEach((holder) -> wakeUps.add(WakeUp.forceReleased(key, holder)));
			this.table.forget(key, lock);
			return new ForcedRelease(before, freed);
		});
	}

	private <T extends @Nullable Object> T step(Function<List<WakeUp>, T> operation) {
		List<WakeUp> wakeUps = new ArrayList<>();
		T result;
		synchronized (this.table) {
			this.table.tidy(this.clock);
			result = operation.apply(wakeUps);
		}
		wakeUps.forEach(this.listeners::wakeUp);
		return result;
	}

	@FunctionalInterface
	private interface Change {

		/**
		 * Change a share of a lock.
		 * @return whether others may have the lock now
		 */
		boolean apply(LocalLock lock, Share share);

	}

}
