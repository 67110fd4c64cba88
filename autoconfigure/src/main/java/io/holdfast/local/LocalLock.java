package io.holdfast.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.holdfast.LockMode;
import io.holdfast.engine.store.LockStore.Claim;
import io.holdfast.engine.store.LockStore.Denied;
import io.holdfast.engine.store.LockStore.QueuePlace;
import io.holdfast.engine.store.StoreView;
import io.holdfast.engine.store.StoreView.Holder;
import io.holdfast.engine.store.StoreView.KeyState;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one key: who has its lock, and who waits for it. Knows no other key
 * and no threads; callers see that one thread at a time uses it.
 */
final class LocalLock {

	private final Map<String, Share> shares = new LinkedHashMap<>();

	/**
	 * In order of arrival.
	 */
	private final Map<String, Place> queue = new LinkedHashMap<>();

	/**
	 * Until when the claims of these names are denied.
	 */
	private final Map<String, Long> refused = new HashMap<>(0);

	private LockMode mode = LockMode.EXCLUSIVE;

	/**
	 * Forget holds and waiters whose time is over.
	 */
	void settle(long now) {
		this.shares.values().removeIf((share) -> share.ends() - now <= 0);
		this.queue.values().removeIf((place) -> place.deadline() - now < 0);
		this.refused.values().removeIf((until) -> until - now <= 0);
	}

	boolean isForgotten() {
		return this.shares.isEmpty() && this.queue.isEmpty() && this.refused.isEmpty();
	}

	/**
	 * Return whether it is held or kept.
	 */
	boolean isTaken() {
		return !this.shares.isEmpty();
	}

	/**
	 * Return what a claim has been granted before, or {@code null}.
	 */
	@Nullable Share claimed(Claim claim) {
		String owner = holderOf(claim);
		return (owner != null && this.mode == claim.mode()) ? this.shares.get(owner) : null;
	}

	/**
	 * Return who has what a claim was granted, or {@code null} when it has nothing.
	 */
	@Nullable String holderOf(Claim claim) {
		if (this.shares.isEmpty()) {
			return null;
		}
		return this.shares.entrySet()
			.stream()
			.filter((entry) -> entry.getValue().claim().equals(claim.name()))
			.map(Map.Entry::getKey)
			.findFirst()
			.orElse(null);
	}

	boolean isRefused(Claim claim) {
		return !this.refused.isEmpty() && this.refused.containsKey(claim.name());
	}

	/**
	 * Take away what a claim has, and deny it until a time.
	 * @return whether it was granted anything
	 */
	boolean withdraw(Claim claim, long refusedUntil, long now) {
		boolean taken = this.mode == claim.mode()
				&& this.shares.values().removeIf((share) -> share.claim().equals(claim.name()));
		if (claim.place() != null) {
			giveUpPlace(claim.place().id());
		}
		if (refusedUntil - now > 0) {
			this.refused.merge(claim.name(), refusedUntil, Math::max);
		}
		return taken;
	}

	/**
	 * Return what stands in the way of a claim, or {@code null} when nothing does.
	 */
	@Nullable Denied denial(Claim claim, long now) {
		boolean shareable = claim.mode() == LockMode.SHARED && this.mode == LockMode.SHARED;
		if (!this.shares.isEmpty() && !shareable) {
			long ends = this.shares.values().stream().mapToLong((share) -> share.ends() - now).max().orElse(0);
			Map.Entry<String, Share> first = this.shares.entrySet().iterator().next();
			return new Denied(Holder.ownerOf(first.getValue().nameOf(first.getKey())), Duration.ofNanos(ends));
		}
		Place before = goesBefore(claim);
		return (before != null) ? new Denied(null, Duration.ofNanos(before.deadline() - now)) : null;
	}

	/**
	 * Return who goes first: for a fair claim the one that came earlier, for others who
	 * is fair; for one to share only who does not share.
	 */
	private @Nullable Place goesBefore(Claim claim) {
		QueuePlace own = claim.place();
		for (Map.Entry<String, Place> entry : this.queue.entrySet()) {
			Place other = entry.getValue();
			if (own != null && entry.getKey().equals(own.id())) {
				return null;
			}
			boolean counts = claim.fair() || other.fair() || claim.mode() == LockMode.SHARED;
			boolean passed = (claim.mode() == LockMode.SHARED && other.mode() == LockMode.SHARED)
					|| (claim.nested() && other.several());
			if (counts && !passed) {
				return other;
			}
		}
		return null;
	}

	void keepPlace(Claim claim, QueuePlace place, boolean several, long now) {
		Place kept = new Place(claim.mode(), claim.fair(), several, now + place.kept().toNanos());
		this.queue.merge(place.id(), kept, (present, fresh) -> fresh);
	}

	void giveUpPlace(String placeId) {
		this.queue.remove(placeId);
	}

	void grant(String owner, LockMode wanted, Share share) {
		this.mode = wanted;
		this.shares.put(owner, share);
	}

	/**
	 * Change what an owner has.
	 */
	void replace(String owner, Share share) {
		this.shares.put(owner, share);
	}

	void takeAway(String owner) {
		this.shares.remove(owner);
	}

	/**
	 * Take from an owner what it holds with a token, but let no other have it until a
	 * time. What is kept for that token already stays as it is.
	 * @return whether it is held, or kept
	 */
	boolean keep(String owner, long token, long until) {
		String keeper = owner + StoreView.KEPT;
		if (held(owner, token) == null) {
			return held(keeper, token) != null;
		}
		this.shares.remove(owner);
		this.shares.put(keeper, new Share("", token, until, false));
		return true;
	}

	/**
	 * Take it from all who have it, or from who has it with a token.
	 * @return from whom it was taken
	 */
	List<Holder> free(@Nullable Long token, long now) {
		List<Holder> freed = new ArrayList<>();
		this.shares.entrySet().removeIf((entry) -> {
			boolean meant = token == null || token == entry.getValue().token();
			return meant && freed.add(entry.getValue().holder(entry.getKey(), now));
		});
		return freed;
	}

	/**
	 * Return what is known, as others see it.
	 */
	KeyState state(String key, long now) {
		List<Holder> holders = this.shares.entrySet()
			.stream()
			.limit(StoreView.MOST_HOLDERS)
			.map((entry) -> entry.getValue().holder(entry.getKey(), now))
			.toList();
		return new KeyState(key, holders.isEmpty() ? null : this.mode, holders, this.shares.size(),
				this.queue.keySet().stream().limit(StoreView.MOST_WAITERS).toList(), this.queue.size(), null);
	}

	/**
	 * Return what an owner holds with a token, or {@code null} if it does not.
	 */
	@Nullable Share held(String owner, long token) {
		Share share = this.shares.get(owner);
		return (share != null && share.token() == token) ? share : null;
	}

	/**
	 * Let others share what is held exclusively.
	 */
	void downgrade() {
		this.mode = LockMode.SHARED;
	}

	/**
	 * Return who has it and may pass it on, if anybody has.
	 */
	Optional<String> passableHolder() {
		return this.shares.entrySet()
			.stream()
			.filter((entry) -> !isShared() && entry.getValue().passable())
			.map(Map.Entry::getKey)
			.findFirst();
	}

	boolean isShared() {
		return this.mode == LockMode.SHARED;
	}

	boolean hasWaiters() {
		return !this.queue.isEmpty();
	}

	/**
	 * Return who is first in the queue.
	 */
	Optional<String> first() {
		return this.queue.keySet().stream().findFirst();
	}

	boolean hasFairWaiters() {
		return this.queue.values().stream().anyMatch(Place::fair);
	}

	boolean hasPlace(String placeId) {
		return this.queue.containsKey(placeId);
	}

	/**
	 * Return those in front of the queue who can have the lock as it is: one, or all that
	 * want to share it.
	 */
	private List<String> front() {
		List<String> front = new ArrayList<>();
		for (Map.Entry<String, Place> entry : this.queue.entrySet()) {
			if (entry.getValue().mode() != LockMode.SHARED) {
				if (front.isEmpty() && this.shares.isEmpty()) {
					front.add(entry.getKey());
					addPastSeveral(entry.getValue(), front);
				}
				return front;
			}
			if (!this.shares.isEmpty() && this.mode != LockMode.SHARED) {
				return front;
			}
			front.add(entry.getKey());
		}
		return front;
	}

	/**
	 * Have those in front of the queue told who can have the lock as it is.
	 */
	void wakeFront(String key, List<WakeUp> wakeUps) {
		front().forEach((placeId) -> wakeUps.add(WakeUp.of(key, placeId)));
	}

	/**
	 * Add the first one that waits for no other key, if the one in front does: it may
	 * hold one that those before it wait for, and goes past them then.
	 */
	private void addPastSeveral(Place first, List<String> front) {
		if (first.several()) {
			this.queue.entrySet()
				.stream()
				.filter((entry) -> !entry.getValue().several())
				.findFirst()
				.ifPresent((entry) -> front.add(entry.getKey()));
		}
	}

	/**
	 * What one owner has of a lock.
	 *
	 * @param claim the name of the claim that was granted it
	 * @param token the fencing token
	 * @param count how often it holds it
	 * @param ends when its lease is over
	 * @param passable whether it may be passed on
	 * @param passedTo who holds it in place of its owner, or {@code null}
	 */
	record Share(String claim, long token, int count, long ends, boolean passable, @Nullable String passedTo) {

		Share(String claim, long token, long ends, boolean passable) {
			this(claim, token, 1, ends, passable, null);
		}

		Holder holder(String owner, long now) {
			return Holder.of(nameOf(owner), this.count, this.token, Duration.ofNanos(this.ends - now));
		}

		String nameOf(String owner) {
			return (this.passedTo != null) ? this.passedTo : owner;
		}

		Share count(int fresh) {
			return new Share(this.claim, this.token, fresh, this.ends, this.passable, this.passedTo);
		}

		Share passedTo(@Nullable String other) {
			return new Share(this.claim, this.token, this.count, this.ends, this.passable, other);
		}

		/**
		 * Return the same share, which lasts no less than until a time.
		 */
		Share lasting(long until) {
			return (until - this.ends > 0)
					? new Share(this.claim, this.token, this.count, until, this.passable, this.passedTo) : this;
		}

	}

	/**
	 * A waiter.
	 *
	 * @param mode what it wants
	 * @param fair whether it is not to be overtaken
	 * @param several whether it waits for other keys as well
	 * @param deadline until when it counts
	 */
	private record Place(LockMode mode, boolean fair, boolean several, long deadline) {
	}

}
