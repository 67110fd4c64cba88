package io.holdfast.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.holdfast.LockMode;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.StoreView;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.engine.StoreView.KeyState;
import org.jspecify.annotations.Nullable;

/**
 * The holders of one key, and its waiters in order of arrival. Used by one thread at a
 * time.
 */
final class LocalLock {

	private final Map<String, Share> shares = new LinkedHashMap<>();

	private final Map<String, Place> queue = new LinkedHashMap<>();

	private final Map<String, Long> withdrawnUntil = new HashMap<>(0);

	private final String key;

	private LockMode mode = LockMode.EXCLUSIVE;

	LocalLock(String key) {
		this.key = key;
	}

	String key() {
		return this.key;
	}

	void settle(long now) {
		this.shares.values().removeIf((share) -> share.ends() - now <= 0);
		this.queue.values().removeIf((place) -> place.deadline() - now < 0);
		this.withdrawnUntil.values().removeIf((until) -> until - now <= 0);
	}

	boolean isUnused() {
		return this.shares.isEmpty() && this.queue.isEmpty() && this.withdrawnUntil.isEmpty();
	}

	boolean isHeld() {
		return !this.shares.isEmpty();
	}

	boolean isShared() {
		return this.mode == LockMode.SHARED;
	}

	boolean isRefused(Claim claim) {
		return !this.withdrawnUntil.isEmpty() && this.withdrawnUntil.containsKey(claim.name());
	}

	@Nullable Share granted(Claim claim) {
		if (this.shares.isEmpty() || this.mode != claim.mode()) {
			return null;
		}
		String name = claim.name();
		return this.shares.values().stream().filter((share) -> share.claim().equals(name)).findFirst().orElse(null);
	}

	@Nullable Share held(String holder, long token) {
		Share share = this.shares.get(holder);
		return (share != null && share.token() == token) ? share : null;
	}

	@Nullable Denied denial(Claim claim, long now) {
		if (isHeld() && !(isShared() && claim.mode() == LockMode.SHARED)) {
			Share first = this.shares.values().iterator().next();
			long longest = this.shares.values().stream().mapToLong((share) -> share.ends() - now).max().orElse(0);
			return new Denied(Holder.ownerOf(first.name()), Duration.ofNanos(longest));
		}
		Place before = placeBefore(claim);
		return (before != null) ? new Denied(null, Duration.ofNanos(before.deadline() - now)) : null;
	}

	// A fair claim waits for all that came earlier, others for fair waiters; sharers wait
	// for those only that do not share
	private @Nullable Place placeBefore(Claim claim) {
		boolean shared = claim.mode() == LockMode.SHARED;
		for (Place other : this.queue.values()) {
			if (claim.place() != null && other.id().equals(claim.place().id())) {
				return null;
			}
			boolean counts = claim.fair() || other.fair() || shared;
			boolean passed = (shared && other.mode() == LockMode.SHARED) || (claim.nested() && other.several());
			if (counts && !passed) {
				return other;
			}
		}
		return null;
	}

	void grant(LockMode wanted, Share share) {
		this.mode = wanted;
		replace(share);
	}

	void replace(Share share) {
		this.shares.put(share.holder(), share);
	}

	void takeAway(String holder) {
		this.shares.remove(holder);
	}

	/**
	 * Take away what is held with a token, or everything if it is {@code null}.
	 */
	List<Holder> takeAway(@Nullable Long token, long now) {
		List<Share> taken = this.shares.values()
			.stream()
			.filter((share) -> token == null || token == share.token())
			.toList();
		taken.forEach((share) -> takeAway(share.holder()));
		return taken.stream().map((share) -> share.seen(now)).toList();
	}

	/**
	 * Take away what a claim was granted, and deny the claim until a time.
	 */
	boolean withdraw(Claim claim, long refusedUntil, long now) {
		Share granted = granted(claim);
		if (granted != null) {
			takeAway(granted.holder());
		}
		giveUpPlace(claim.place());
		if (refusedUntil - now > 0) {
			this.withdrawnUntil.merge(claim.name(), refusedUntil, Math::max);
		}
		return granted != null;
	}

	/**
	 * Take from a holder what it holds with a token, and let no other have it until a
	 * time. Kept locks stay as they are.
	 */
	boolean keep(String holder, long token, long until) {
		String keeper = holder + StoreView.KEPT;
		if (held(holder, token) == null) {
			return held(keeper, token) != null;
		}
		takeAway(holder);
		replace(new Share(keeper, "", token, until, false));
		return true;
	}

	Optional<String> passableHolder() {
		return this.shares.values()
			.stream()
			.filter((share) -> share.passable() && !isShared())
			.map(Share::holder)
			.findFirst();
	}

	void keepPlace(Claim claim, boolean several, long now) {
		QueuePlace place = claim.place();
		if (place != null) {
			this.queue.put(place.id(),
					new Place(place.id(), claim.mode(), claim.fair(), several, now + place.kept().toNanos()));
		}
	}

	void giveUpPlace(@Nullable QueuePlace place) {
		if (place != null) {
			this.queue.remove(place.id());
		}
	}

	boolean hasPlace(@Nullable QueuePlace place) {
		return place != null && this.queue.containsKey(place.id());
	}

	boolean hasWaiters() {
		return !this.queue.isEmpty();
	}

	boolean hasFairWaiters() {
		return this.queue.values().stream().anyMatch(Place::fair);
	}

	void wakeFirst(List<WakeUp> wakeUps) {
		this.queue.keySet().stream().findFirst().ifPresent((id) -> wakeUps.add(WakeUp.of(this.key, id)));
	}

	/**
	 * Wake those in front of the queue that can have the lock as it is: one, or all that
	 * want to share it.
	 */
	void wakeFront(List<WakeUp> wakeUps) {
		front().forEach((place) -> wakeUps.add(WakeUp.of(this.key, place.id())));
	}

	private List<Place> front() {
		List<Place> front = new ArrayList<>();
		for (Place place : this.queue.values()) {
			if (place.mode() != LockMode.SHARED) {
				if (front.isEmpty() && !isHeld()) {
					front.add(place);
					addPastSeveral(place, front);
				}
				return front;
			}
			if (isHeld() && !isShared()) {
				return front;
			}
			front.add(place);
		}
		return front;
	}

	// A waiter for one key may hold another key that the waiter for several in front of
	// it waits for
	private void addPastSeveral(Place first, List<Place> front) {
		if (first.several()) {
			this.queue.values().stream().filter((place) -> !place.several()).findFirst().ifPresent(front::add);
		}
	}

	KeyState state(long now) {
		List<Holder> holders = this.shares.values()
			.stream()
			.limit(StoreView.MOST_HOLDERS)
			.map((share) -> share.seen(now))
			.toList();
		return new KeyState(this.key, holders.isEmpty() ? null : this.mode, holders, this.shares.size(),
				this.queue.keySet().stream().limit(StoreView.MOST_WAITERS).toList(), this.queue.size(), null);
	}

	/**
	 * What one holder has of a lock.
	 */
	record Share(String holder, String claim, long token, int count, long ends, boolean passable,
			@Nullable String passedTo) {

		Share(String holder, String claim, long token, long ends, boolean passable) {
			this(holder, claim, token, 1, ends, passable, null);
		}

		String name() {
			return (this.passedTo != null) ? this.passedTo : this.holder;
		}

		Holder seen(long now) {
			return Holder.of(name(), this.count, this.token, Duration.ofNanos(this.ends - now));
		}

		Share count(int fresh) {
			return new Share(this.holder, this.claim, this.token, fresh, this.ends, this.passable, this.passedTo);
		}

		Share passedTo(@Nullable String other) {
			return new Share(this.holder, this.claim, this.token, this.count, this.ends, this.passable, other);
		}

		Share lasting(long atLeastUntil) {
			return (atLeastUntil - this.ends > 0) ? new Share(this.holder, this.claim, this.token, this.count,
					atLeastUntil, this.passable, this.passedTo) : this;
		}

	}

	private record Place(String id, LockMode mode, boolean fair, boolean several, long deadline) {
	}

}
