package io.holdfast.local;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Gone;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.NotHeld;
import io.holdfast.engine.LockStore.Outcome;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStore.RenewalOutcome;
import io.holdfast.engine.LockStore.Renewed;
import io.holdfast.engine.LockStore.Transfer;
import io.holdfast.engine.LockStore.Transferred;
import io.holdfast.engine.LockStore.WakeUpListener;
import io.holdfast.engine.LockStore.Yielded;
import io.holdfast.engine.StoreView.ForcedRelease;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.engine.StoreView.KeyState;
import io.holdfast.local.LocalLock.Share;
import org.jspecify.annotations.Nullable;

/**
 * Locks that are kept in memory. Several {@link LocalLockStore}s that share them exclude
 * each other, as those of several applications do that share a Redis.
 *
 * <p>
 * One monitor guards everything: each operation is one step, as a script in Redis is.
 * Wake-ups are told after it has been left.
 *
 * @since 0.1.0
 */
public final class LocalLocks {

	/**
	 * Leases that are longer count as this long.
	 */
	private static final long LONGEST = Long.MAX_VALUE / 4;

	private static final Map<String, LocalLocks> ofJvm = new ConcurrentHashMap<>();

	private final Map<String, LocalLock> locks = new HashMap<>();

	private final Map<String, WakeUpListener> listeners = new ConcurrentHashMap<>();

	private final Map<String, Announcement> announcements = new ConcurrentHashMap<>();

	/**
	 * Last token of any key.
	 */
	private long lastToken;

	/**
	 * Return the locks that all applications in this JVM share, as they would share a
	 * Redis.
	 * @param keyPrefix what the keys begin with: those with another prefix are others
	 * @return the locks
	 */
	public static LocalLocks ofJvm(String keyPrefix) {
		return ofJvm.computeIfAbsent(keyPrefix, (prefix) -> new LocalLocks());
	}

	void listen(String instanceId, WakeUpListener listener) {
		if (this.listeners.put(instanceId, listener) == null) {
			listener.wakeUpAll();
		}
	}

	void stopListening(String instanceId) {
		this.listeners.remove(instanceId);
	}

	boolean isListening(String instanceId) {
		return this.listeners.containsKey(instanceId);
	}

	Outcome acquire(Claim claim) {
		return step((wakeUps) -> acquire(claim, System.nanoTime(), wakeUps));
	}

	private Outcome acquire(Claim claim, long now, List<WakeUp> wakeUps) {
		Map<String, @Nullable Share> mine = new HashMap<>();
		Map<String, Denied> denials = new HashMap<>();
		Denied denied = null;
		loseOrder(claim, now, wakeUps);
		for (String key : claim.keys()) {
			LocalLock lock = lock(key, now);
			Share share = lock.claimed(claim);
			Denied denial = (share == null) ? lock.denial(claim, now) : null;
			mine.put(key, share);
			if (denial != null) {
				denials.put(key, denial);
				denied = (denied != null) ? denied : denial;
			}
		}
		if (denied != null) {
			claim.keys()
				.forEach((key) -> queueUp(claim, key, mine.get(key) != null, denials.containsKey(key), wakeUps));
			return denied;
		}
		return grant(claim, mine, now);
	}

	/**
	 * A waiter for several keys whose place in one of the queues has run out has lost all
	 * of them. If it kept the others, it and another might be in each other's way for
	 * ever.
	 */
	private void loseOrder(Claim claim, long now, List<WakeUp> wakeUps) {
		QueuePlace place = claim.place();
		if (!claim.fair() || place == null || claim.keys().size() == 1) {
			return;
		}
		List<String> kept = claim.keys().stream().filter((key) -> lock(key, now).hasPlace(place.id())).toList();
		if (kept.size() < claim.keys().size()) {
			for (String key : kept) {
				LocalLock lock = lock(key, now);
				lock.giveUpPlace(place.id());
				wakeFront(key, lock, wakeUps);
			}
		}
	}

	/**
	 * Wait for what is in the way, in order of arrival for all keys. A waiter that was
	 * woken for a key that is not in its way, and need not keep to that order, passes
	 * that on.
	 */
	private void queueUp(Claim claim, String key, boolean mine, boolean denied, List<WakeUp> wakeUps) {
		long now = System.nanoTime();
		LocalLock lock = lock(key, now);
		QueuePlace place = claim.place();
		boolean stays = place != null && (denied || claim.fair());
		if (mine) {
			lock.takeAway(claim.owner());
		}
		if (place != null && stays) {
			lock.keepPlace(claim, place, claim.fair() && claim.keys().size() > 1, now);
		}
		else if (place != null) {
			lock.giveUpPlace(place.id());
		}
		if (!denied && (mine || !stays)) {
			wakeFront(key, lock, wakeUps);
		}
		forget(key, lock);
	}

	private Granted grant(Claim claim, Map<String, @Nullable Share> mine, long now) {
		List<Grant> grants = new ArrayList<>();
		long ends = now + nanos(claim.lease());
		for (String key : claim.keys()) {
			LocalLock lock = lock(key, now);
			Share present = mine.get(key);
			Share share = (present != null) ? present.lasting(ends) : new Share(nextToken(0), 1, ends);
			lock.grant(claim.owner(), claim.mode(), share);
			if (claim.place() != null) {
				lock.giveUpPlace(claim.place().id());
			}
			grants.add(new Grant(key, share.token()));
		}
		return new Granted(List.copyOf(grants));
	}

	Transfer transfer(HoldId hold, Claim successor, boolean yield) {
		return step((wakeUps) -> transfer(hold, successor, yield, System.nanoTime(), wakeUps));
	}

	private Transfer transfer(HoldId hold, Claim successor, boolean yield, long now, List<WakeUp> wakeUps) {
		Grant grant = hold.grants().get(0);
		LocalLock lock = lock(grant.key(), now);
		if (lock.held(hold.owner(), grant.token()) == null) {
			forget(grant.key(), lock);
			return new NotHeld();
		}
		lock.takeAway(hold.owner());
		if (lock.hasWaiters() && (yield || lock.hasFairWaiters())) {
			lock.keepPlace(successor, Objects.requireNonNull(successor.place()), false, now);
			wakeFront(grant.key(), lock, wakeUps);
			return new Yielded();
		}
		Share share = new Share(nextToken(grant.token()), 1, now + nanos(successor.lease()));
		lock.grant(successor.owner(), successor.mode(), share);
		return new Transferred(share.token(), lock.hasWaiters());
	}

	@Nullable Duration reenter(HoldId hold, int holdCount, Duration lease) {
		return step((wakeUps) -> prolong(hold, lease, holdCount));
	}

	List<RenewalOutcome> renew(List<Renewal> renewals) {
		return step((wakeUps) -> renewals.stream().map(this::renew).toList());
	}

	private RenewalOutcome renew(Renewal renewal) {
		Duration lasts = prolong(renewal.hold(), renewal.lease(), null);
		return (lasts != null) ? new Renewed(lasts) : new Gone();
	}

	private @Nullable Duration prolong(HoldId hold, Duration lease, @Nullable Integer holdCount) {
		long now = System.nanoTime();
		long shortest = Long.MAX_VALUE;
		boolean gone = false;
		for (Grant grant : hold.grants()) {
			LocalLock lock = lock(grant.key(), now);
			Share share = lock.held(hold.owner(), grant.token());
			if (share == null) {
				gone = true;
				forget(grant.key(), lock);
			}
			else {
				Share longer = share.lasting(now + nanos(lease)).count((holdCount != null) ? holdCount : share.count());
				lock.replace(hold.owner(), longer);
				shortest = Math.min(shortest, longer.ends() - now);
			}
		}
		return gone ? null : Duration.ofNanos(shortest);
	}

	boolean release(HoldId hold, int holdCount) {
		return forEach(hold, (lock, share) -> {
			if (holdCount == 0) {
				lock.takeAway(hold.owner());
				return true;
			}
			lock.replace(hold.owner(), share.count(holdCount));
			return false;
		});
	}

	/**
	 * Those in front are told to come and learn for how long it is kept.
	 */
	boolean keep(HoldId hold, Duration rest) {
		return step((wakeUps) -> {
			boolean all = true;
			for (Grant grant : hold.grants()) {
				long now = System.nanoTime();
				LocalLock lock = lock(grant.key(), now);
				all &= lock.keep(hold.owner(), grant.token(), now + nanos(rest));
				lock.first().ifPresent((placeId) -> wakeUps.add(new WakeUp(grant.key(), placeId)));
				forget(grant.key(), lock);
			}
			return all;
		});
	}

	boolean downgrade(HoldId hold, int holdCount) {
		return forEach(hold, (lock, share) -> {
			if (lock.isShared()) {
				return false;
			}
			lock.downgrade();
			lock.replace(hold.owner(), share.count(holdCount));
			return true;
		});
	}

	/**
	 * Change what is held of each key of a hold.
	 * @return whether all of it is held
	 */
	private boolean forEach(HoldId hold, Change change) {
		return step((wakeUps) -> {
			boolean all = true;
			for (Grant grant : hold.grants()) {
				LocalLock lock = lock(grant.key(), System.nanoTime());
				Share share = lock.held(hold.owner(), grant.token());
				if (share == null) {
					all = false;
				}
				else if (change.apply(lock, share)) {
					wakeFront(grant.key(), lock, wakeUps);
				}
				forget(grant.key(), lock);
			}
			return all;
		});
	}

	void leave(List<String> keys, String placeId) {
		step((wakeUps) -> {
			for (String key : keys) {
				LocalLock lock = lock(key, System.nanoTime());
				lock.giveUpPlace(placeId);
				wakeFront(key, lock, wakeUps);
				forget(key, lock);
			}
			return keys;
		});
	}

	List<HoldId> find(String key, String owner) {
		return step((wakeUps) -> {
			LocalLock lock = lock(key, System.nanoTime());
			Share share = lock.held(owner);
			forget(key, lock);
			return (share != null) ? List.of(new HoldId(key, owner, share.token())) : List.of();
		});
	}

	/**
	 * Return what is known of a key, or {@code null} when nobody holds it or waits for
	 * it.
	 */
	@Nullable KeyState look(String key) {
		return step((wakeUps) -> {
			long now = System.nanoTime();
			LocalLock lock = lock(key, now);
			forget(key, lock);
			return lock.isForgotten() ? null : lock.state(key, now);
		});
	}

	List<String> heldKeys() {
		synchronized (this.locks) {
			long now = System.nanoTime();
			this.locks.values().forEach((lock) -> lock.settle(now));
			this.locks.values().removeIf(LocalLock::isForgotten);
			return this.locks.entrySet()
				.stream()
				.filter((entry) -> entry.getValue().isTaken())
				.map(Map.Entry::getKey)
				.toList();
		}
	}

	/**
	 * Release a lock by force: take it from all who have it, or from who has it with a
	 * token, and tell them.
	 */
	ForcedRelease forceRelease(String key, @Nullable Long token) {
		ForcedRelease release = step((wakeUps) -> {
			long now = System.nanoTime();
			LocalLock lock = lock(key, now);
			KeyState before = lock.state(key, now);
			List<Holder> freed = lock.free(token, now);
			if (!freed.isEmpty()) {
				wakeFront(key, lock, wakeUps);
			}
			forget(key, lock);
			return new ForcedRelease(before, freed);
		});
		release.released().forEach((holder) -> tell(new HoldId(key, holder.owner(), holder.token())));
		return release;
	}

	private void tell(HoldId taken) {
		WakeUpListener listener = this.listeners.get(instanceOf(taken.owner()));
		if (listener != null) {
			listener.forceReleased(taken);
		}
	}

	void announce(String instanceId, Map<String, String> details, Duration lasts) {
		this.announcements.put(instanceId, new Announcement(Map.copyOf(details), System.nanoTime() + nanos(lasts)));
	}

	void withdraw(String instanceId) {
		this.announcements.remove(instanceId);
	}

	@Nullable Map<String, String> announced(String instanceId) {
		Announcement last = this.announcements.get(instanceId);
		return (last != null && last.until() - System.nanoTime() > 0) ? last.details() : null;
	}

	private <T extends @Nullable Object> T step(Function<List<WakeUp>, T> operation) {
		List<WakeUp> wakeUps = new ArrayList<>();
		T result;
		synchronized (this.locks) {
			result = operation.apply(wakeUps);
		}
		wakeUps.forEach(this::tell);
		return result;
	}

	private void tell(WakeUp wakeUp) {
		WakeUpListener listener = this.listeners.get(instanceOf(wakeUp.placeId()));
		if (listener != null) {
			listener.wakeUp(wakeUp.key(), wakeUp.placeId());
		}
	}

	private static String instanceOf(String ownerOrPlace) {
		return ownerOrPlace.substring(0, ownerOrPlace.indexOf(':'));
	}

	private static void wakeFront(String key, LocalLock lock, List<WakeUp> wakeUps) {
		lock.front().forEach((placeId) -> wakeUps.add(new WakeUp(key, placeId)));
	}

	private LocalLock lock(String key, long now) {
		LocalLock lock = this.locks.computeIfAbsent(key, (fresh) -> new LocalLock());
		lock.settle(now);
		return lock;
	}

	private void forget(String key, LocalLock lock) {
		if (lock.isForgotten()) {
			this.locks.remove(key);
		}
	}

	private long nextToken(long known) {
		long micros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
		this.lastToken = Math.max(Math.max(this.lastToken, known) + 1, micros);
		return this.lastToken;
	}

	private static long nanos(Duration lease) {
		return Math.min(TimeUnit.NANOSECONDS.convert(lease), LONGEST);
	}

	@FunctionalInterface
	private interface Change {

		/**
		 * Change a share of a lock.
		 * @return whether others may have the lock now
		 */
		boolean apply(LocalLock lock, Share share);

	}

	private record WakeUp(String key, String placeId) {
	}

	private record Announcement(Map<String, String> details, long until) {
	}

}
