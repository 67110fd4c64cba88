package io.holdfast.rules;

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
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.rules.LockState.Place;
import io.holdfast.rules.LockState.Share;
import io.holdfast.rules.WakeUp.Kind;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to acquire all locks of a claim, or none: {@code acquire.lua} and
 * {@code attempt.lua}.
 */
final class Attempt {

	private final Locks locks;

	private final Claim claim;

	private final @Nullable QueuePlace place;

	// Of the place, in the queue where it is the furthest in front
	private int position = QueuePlace.LAST_COUNTED_POSITION;

	Attempt(Locks locks, Claim claim) {
		this.locks = locks;
		this.claim = claim;
		this.place = claim.place();
	}

	Outcome run() {
		if (this.claim.keys().stream().anyMatch((key) -> this.locks.get(key).isRefused(this.claim))) {
			return new Denied(null, Duration.ZERO);
		}
		Map<String, Denied> denials = new LinkedHashMap<>();
		for (String key : this.claim.keys()) {
			Denied denial = denial(this.locks.get(key));
			if (denial != null) {
				denials.put(key, denial);
			}
		}
		if (denials.isEmpty()) {
			return grant();
		}
		this.claim.keys().forEach((key) -> queueUp(key, denials.get(key)));
		return denials.values().iterator().next().at((this.place != null) ? this.position : 1);
	}

	private @Nullable Denied denial(LockState lock) {
		if (lock.granted(this.claim) != null) {
			return null;
		}
		if (lock.isHeld() && !(lock.isShared() && this.claim.mode() == LockMode.SHARED)) {
			return denial(lock, lock.shares().size() - 1, 0);
		}
		List<Place> earlier = lock.placesBefore(this.claim);
		int taken = lock.shares().size();
		if (this.claim.permits() > 0 && taken >= this.claim.permits()) {
			// Until the end of the share that lets it in if all others stay
			return denial(lock, Math.min(taken - this.claim.permits() + earlier.size(), taken - 1), taken);
		}
		Place before = goesBefore(earlier, taken);
		return (before != null) ? new Denied(null, Duration.ofNanos(before.deadline() - this.locks.now())) : null;
	}

	private Denied denial(LockState lock, int endsWith, int permitsTaken) {
		List<Share> byEnd = lock.sharesByEnd(this.locks.now());
		Share named = (permitsTaken > 0) ? byEnd.get(0) : lock.shares().get(0);
		return new Denied(Holder.ownerOf(named.name()), Duration.ofNanos(byEnd.get(endsWith).ends() - this.locks.now()),
				1, permitsTaken);
	}

	// The permits that are left belong to those that came first, one for each; a claim
	// that barges leaves them to fair ones only
	private @Nullable Place goesBefore(List<Place> earlier, int sharers) {
		boolean barges = this.place == null && !this.claim.fair();
		int taken = sharers;
		Place first = null;
		for (Place other : earlier) {
			if (mustNotOvertake(other, taken)) {
				return other;
			}
			boolean hasPrecedence = other.fair() || (this.claim.permits() > 0 && !barges);
			if (sharesWith(other) && taken < other.most() && hasPrecedence) {
				taken++;
				first = (first != null) ? first : other;
			}
			if (this.claim.permits() > 0 && taken >= this.claim.permits()) {
				return first;
			}
		}
		return null;
	}

	// A claim overtakes no fair waiter that it would keep out, a sharer none that wants
	// the lock exclusively, and a fair exclusive claim none at all
	private boolean mustNotOvertake(Place other, int taken) {
		if (sharesWith(other)) {
			return other.fair() && taken + 1 >= other.most();
		}
		return this.claim.mode() == LockMode.SHARED || this.claim.fair() || other.fair();
	}

	private boolean sharesWith(Place other) {
		return this.claim.mode() == LockMode.SHARED && other.mode() == LockMode.SHARED;
	}

	// A waiter that was woken for a key that is not in its way passes that on
	private void queueUp(String key, @Nullable Denied denial) {
		LockState lock = this.locks.get(key);
		if (denial == null) {
			Share granted = lock.granted(this.claim);
			LockState freed = (granted != null) ? lock.takeAway(granted.holder()) : lock;
			this.locks.put(key, freed.giveUpPlace(this.place));
			this.locks.wakeFront(key, granted != null && lock.isShared());
		}
		else if (this.place != null) {
			tellWanted(key, lock);
			this.position = Math.min(this.position, lock.position(this.claim));
			this.locks.put(key, lock.keepPlace(this.claim, this.place, this.locks.now()));
		}
	}

	private void tellWanted(String key, LockState lock) {
		Share holder = lock.isHeld() ? lock.shares().get(0) : null;
		boolean isNewFair = this.claim.fair() && !lock.hasPlace(this.place);
		if (holder != null && holder.passable() && (isNewFair || !lock.hasWaiters())) {
			this.locks.tell(new WakeUp(isNewFair ? Kind.WANTED_NEXT : Kind.WANTED, key, holder.holder(), 0));
		}
	}

	private Granted grant() {
		String first = this.claim.keys().get(0);
		boolean passable = isPassable(this.locks.get(first));
		String holder = this.claim.holder();
		List<Grant> grants = new ArrayList<>();
		for (String key : this.claim.keys()) {
			Share share = grant(key, passable);
			holder = share.holder();
			grants.add(new Grant(key, share.token()));
		}
		HoldId hold = new HoldId(holder, List.copyOf(grants));
		LockState granted = this.locks.get(first);
		return passable ? new Granted(hold, granted.lastToken(), granted.hasWaiters()) : new Granted(hold);
	}

	private Share grant(String key, boolean passable) {
		LockState before = this.locks.get(key);
		Share present = before.granted(this.claim);
		long ends = this.locks.after(this.claim.lease());
		Share share = (present != null) ? present.lasting(ends) : new Share(this.claim.holder(), this.claim.name(),
				this.locks.nextTokens(key, 0, passable ? LockRules.RESERVED_TOKENS : 0), ends, passable);
		this.locks.put(key,
				this.locks.get(key).grant(this.claim.mode(), this.claim.permits(), share).giveUpPlace(this.place));
		// It may have held up others, for which there are permits as well
		if (present == null && this.claim.fair() && this.claim.permits() > 0 && before.hasPlace(this.place)) {
			this.locks.wakeFront(key, false);
		}
		return share;
	}

	// The instance may pass the lock on if a waiter gets it, and all that wait are unfair
	private boolean isPassable(LockState lock) {
		return this.claim.keys().size() == 1 && this.claim.mode() == LockMode.EXCLUSIVE && lock.hasPlace(this.place)
				&& !lock.hasFairWaiters() && lock.granted(this.claim) == null;
	}

}
