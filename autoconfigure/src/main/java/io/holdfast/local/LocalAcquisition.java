package io.holdfast.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.holdfast.LockMode;
import io.holdfast.engine.store.LockStore.Claim;
import io.holdfast.engine.store.LockStore.Denied;
import io.holdfast.engine.store.LockStore.Grant;
import io.holdfast.engine.store.LockStore.Granted;
import io.holdfast.engine.store.LockStore.HoldId;
import io.holdfast.engine.store.LockStore.Outcome;
import io.holdfast.engine.store.LockStore.QueuePlace;
import io.holdfast.local.LocalLock.Share;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to acquire locks in memory: all of them or none. One step, of which only
 * the outcome is seen.
 */
final class LocalAcquisition {

	private final LocalTable table;

	private final Claim claim;

	private final List<WakeUp> wakeUps;

	/**
	 * Keys whose queue was left.
	 */
	private final Set<String> freed = new HashSet<>();

	/**
	 * Create an attempt.
	 * @param table where the locks are
	 * @param claim what is asked for
	 * @param wakeUps who is to be told after it
	 */
	LocalAcquisition(LocalTable table, Claim claim, List<WakeUp> wakeUps) {
		this.table = table;
		this.claim = claim;
		this.wakeUps = wakeUps;
	}

	Outcome run(long now) {
		Map<String, @Nullable Share> mine = new HashMap<>();
		Map<String, Denied> denials = new HashMap<>();
		Denied denied = null;
		if (this.claim.keys().stream().anyMatch((key) -> this.table.lock(key, now).isRefused(this.claim))) {
			return new Denied(null, Duration.ZERO);
		}
		loseOrder(now);
		for (String key : this.claim.keys()) {
			LocalLock lock = this.table.lock(key, now);
			Share share = lock.claimed(this.claim);
			Denied denial = (share == null) ? lock.denial(this.claim, now) : null;
			mine.put(key, share);
			if (denial != null) {
				denials.put(key, denial);
				denied = (denied == null || (denied.isRetained() && !denial.isRetained())) ? denial : denied;
			}
		}
		if (denied != null) {
			QueuePlace place = this.claim.place();
			boolean waits = place != null && (denied.isRetained() || !place.behindRetained());
			this.claim.keys().forEach((key) -> queueUp(key, mine.get(key) != null, denials.get(key), waits, now));
			return denied;
		}
		return grant(mine, now);
	}

	/**
	 * A waiter for several keys whose place in one of the queues has run out has lost all
	 * of them. If it kept the others, it and another might be in each other's way for
	 * ever.
	 */
	private void loseOrder(long now) {
		QueuePlace place = this.claim.place();
		if (!this.claim.fair() || place == null || this.claim.keys().size() == 1) {
			return;
		}
		List<String> kept = this.claim.keys()
			.stream()
			.filter((key) -> this.table.lock(key, now).hasPlace(place.id()))
			.toList();
		if (kept.size() < this.claim.keys().size()) {
			kept.forEach((key) -> this.table.lock(key, now).giveUpPlace(place.id()));
			this.freed.addAll(kept);
		}
	}

	/**
	 * Wait for what is in the way, in order of arrival for all keys. A waiter that was
	 * woken for a key that is not in its way, and need not keep to that order, passes
	 * that on.
	 */
	private void queueUp(String key, boolean mine, @Nullable Denied denial, boolean waits, long now) {
		LocalLock lock = this.table.lock(key, now);
		QueuePlace place = this.claim.place();
		boolean denied = denial != null;
		boolean stays = waits && (denied || this.claim.fair());
		if (mine) {
			lock.takeAway(this.claim.holder());
		}
		if (place != null && stays) {
			boolean goesNext = this.claim.fair() && !lock.hasPlace(place.id());
			if (goesNext || !lock.hasWaiters() || (denial != null && denial.isRetained())) {
				lock.passableHolder().ifPresent((holder) -> this.wakeUps.add(WakeUp.wanted(key, holder, goesNext)));
			}
			lock.keepPlace(this.claim, place, this.claim.fair() && this.claim.keys().size() > 1, now);
		}
		else if (place != null && !denied) {
			lock.giveUpPlace(place.id());
		}
		if (mine || this.freed.contains(key) || (!denied && !stays)) {
			lock.wakeFront(key, this.wakeUps);
		}
		this.table.forget(key, lock);
	}

	private Granted grant(Map<String, @Nullable Share> mine, long now) {
		List<Grant> grants = new ArrayList<>();
		String holder = this.claim.holder();
		boolean passable = isPassable(mine, now);
		long ends = now + LocalTable.nanos(this.claim.lease());
		for (String key : this.claim.keys()) {
			LocalLock lock = this.table.lock(key, now);
			Share present = mine.get(key);
			Share share = (present != null) ? present.lasting(ends) : share(ends, passable);
			if (present != null) {
				holder = Objects.requireNonNull(lock.holderOf(this.claim));
			}
			lock.grant(holder, this.claim.mode(), share);
			if (this.claim.place() != null) {
				lock.giveUpPlace(this.claim.place().id());
			}
			grants.add(new Grant(key, share.token()));
		}
		HoldId hold = new HoldId(holder, List.copyOf(grants));
		return passable
				? new Granted(hold, this.table.lastToken(), this.table.lock(hold.keys().get(0), now).hasWaiters())
				: new Granted(hold);
	}

	private Share share(long ends, boolean passable) {
		long token = passable ? this.table.nextTokens(0) : this.table.nextToken(0);
		return new Share(this.claim.name(), token, ends, passable);
	}

	/**
	 * Return whether the instance may pass the lock on: a waiter gets it, and all who
	 * wait are unfair.
	 */
	private boolean isPassable(Map<String, @Nullable Share> mine, long now) {
		String key = this.claim.keys().get(0);
		LocalLock lock = this.table.lock(key, now);
		QueuePlace place = this.claim.place();
		return this.claim.keys().size() == 1 && mine.get(key) == null && this.claim.mode() == LockMode.EXCLUSIVE
				&& place != null && lock.hasPlace(place.id()) && !lock.hasFairWaiters();
	}

}
