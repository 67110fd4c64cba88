package io.holdfast.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.holdfast.LockMode;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.Outcome;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.local.LocalLock.Share;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to acquire all locks of a claim, or none.
 */
final class LocalAcquisition {

	private final Map<String, LocalLock> wanted = new LinkedHashMap<>();

	private final LocalLocks locks;

	private final Claim claim;

	private final @Nullable QueuePlace place;

	private final long now;

	private final List<WakeUp> wakeUps;

	// How many times its time the place is kept, in the queue where that is least
	private int times = QueuePlace.MOST_TIMES;

	LocalAcquisition(LocalLocks locks, Claim claim, long now, List<WakeUp> wakeUps) {
		this.locks = locks;
		this.claim = claim;
		this.place = claim.place();
		this.now = now;
		this.wakeUps = wakeUps;
		claim.keys().forEach((key) -> this.wanted.put(key, locks.lock(key, now)));
	}

	Outcome run() {
		if (this.wanted.values().stream().anyMatch((lock) -> lock.isRefused(this.claim))) {
			return new Denied(null, Duration.ZERO);
		}
		Map<LocalLock, Denied> denials = denials();
		if (denials.isEmpty()) {
			return grant();
		}
		this.wanted.values().forEach((lock) -> queueUp(lock, denials.get(lock)));
		return denials.values().iterator().next().times((this.place != null) ? this.times : 1);
	}

	private Map<LocalLock, Denied> denials() {
		Map<LocalLock, Denied> denials = new LinkedHashMap<>();
		this.wanted.values().forEach((lock) -> {
			Denied denied = (lock.granted(this.claim) == null) ? lock.denial(this.claim, this.now) : null;
			if (denied != null) {
				denials.put(lock, denied);
			}
		});
		return denials;
	}

	// A waiter that was woken for a key that is not in its way passes that on
	private void queueUp(LocalLock lock, @Nullable Denied denial) {
		if (lock.granted(this.claim) != null) {
			lock.takeAway(this.claim.holder());
		}
		if (denial == null) {
			lock.giveUpPlace(this.place);
			lock.wakeFront(this.wakeUps);
		}
		else if (this.place != null) {
			tellHolder(lock);
			this.times = Math.min(this.times, lock.keepPlace(this.claim, this.place, this.now));
		}
		this.locks.forgetUnused(lock);
	}

	private void tellHolder(LocalLock lock) {
		boolean goesNext = this.claim.fair() && !lock.hasPlace(this.place);
		if (goesNext || !lock.hasWaiters()) {
			lock.passableHolder().ifPresent((holder) -> this.wakeUps.add(WakeUp.wanted(lock.key(), holder, goesNext)));
		}
	}

	private Granted grant() {
		List<Grant> grants = new ArrayList<>();
		String holder = this.claim.holder();
		boolean passable = isPassable();
		long ends = this.now + LocalLocks.nanos(this.claim.lease());
		for (LocalLock lock : this.wanted.values()) {
			Share present = lock.granted(this.claim);
			holder = (present != null) ? present.holder() : holder;
			Share share = (present != null) ? present.lasting(ends)
					: new Share(holder, this.claim.name(), token(passable), ends, passable);
			lock.grant(this.claim, share);
			boolean heldUpOthers = present == null && this.claim.fair() && this.claim.permits() > 0
					&& lock.hasPlace(this.place);
			lock.giveUpPlace(this.place);
			if (heldUpOthers) {
				lock.wakeFront(this.wakeUps);
			}
			grants.add(new Grant(lock.key(), share.token()));
		}
		HoldId hold = new HoldId(holder, List.copyOf(grants));
		return passable ? new Granted(hold, this.locks.lastToken(), first().hasWaiters()) : new Granted(hold);
	}

	private long token(boolean passable) {
		return passable ? this.locks.nextTokens(0) : this.locks.nextToken(0);
	}

	// The instance may pass the lock on if a waiter gets it, and all that wait are unfair
	private boolean isPassable() {
		return this.wanted.size() == 1 && this.claim.mode() == LockMode.EXCLUSIVE && first().hasPlace(this.place)
				&& !first().hasFairWaiters() && first().granted(this.claim) == null;
	}

	private LocalLock first() {
		return this.wanted.values().iterator().next();
	}

}
