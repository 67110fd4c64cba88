package io.holdfast.rules;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.holdfast.LockMode;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.StoreView.Holder;
import org.jspecify.annotations.Nullable;

/**
 * The state of one lock: what Redis has in the hash, the token, the shares and the queue
 * of a key. All times are nanoseconds of the store's clock.
 *
 * @param mode the mode of the holders
 * @param permits how many holders there may be; 0 for any number that share
 * @param shares what each holder has, by the order of grants
 * @param queue the places of waiters, by the order of arrival
 * @param refused the names of claims that were withdrawn, with the time from which they
 * are no longer denied
 * @param released what was released last, while that is remembered
 * @param lastToken the greatest token that was granted or reserved
 * @since 0.1.0
 */
public record LockState(LockMode mode, int permits, List<Share> shares, List<Place> queue, Map<String, Long> refused,
		@Nullable Share released, long lastToken) {

	/**
	 * A lock without holders and waiters.
	 */
	public static final LockState FREE = new LockState(LockMode.EXCLUSIVE, 0, List.of(), List.of(), Map.of(), null, 0);

	/**
	 * Return the state without what has ended at a time.
	 * @param now the time
	 * @return the state then
	 */
	public LockState at(long now) {
		Map<String, Long> stillRefused = this.refused.entrySet()
			.stream()
			.filter((claim) -> claim.getValue() - now > 0)
			.collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
		Share remembered = (this.released != null && this.released.ends() - now > 0) ? this.released : null;
		return new LockState(this.mode, this.permits, filter(this.shares, (share) -> share.ends() - now > 0),
				filter(this.queue, (place) -> place.deadline() - now >= 0), stillRefused, remembered, this.lastToken);
	}

	/**
	 * Return whether there is nothing to remember but the last token.
	 * @return whether it is like {@link #FREE}
	 */
	public boolean isUnused() {
		return this.shares.isEmpty() && this.queue.isEmpty() && this.refused.isEmpty() && this.released == null;
	}

	/**
	 * Return whether the lock has a holder.
	 * @return whether it is held or kept
	 */
	public boolean isHeld() {
		return !this.shares.isEmpty();
	}

	boolean isShared() {
		return this.mode == LockMode.SHARED;
	}

	@Nullable Share granted(Claim claim) {
		return (this.mode == claim.mode()) ? first(this.shares, (share) -> share.claim().equals(claim.name())) : null;
	}

	@Nullable Share held(String holder, long token) {
		return first(this.shares, (share) -> share.holder().equals(holder) && share.token() == token);
	}

	LockState nextTokens(long least, int more) {
		long token = Math.max(this.lastToken + 1, least) + more;
		return new LockState(this.mode, this.permits, this.shares, this.queue, this.refused, this.released, token);
	}

	LockState grant(LockMode wanted, int limit, Share share) {
		int present = isHeld() ? this.permits : 0;
		return new LockState(wanted, (limit > 0) ? limit : present, with(this.shares, share, Share::holder), this.queue,
				this.refused, this.released, this.lastToken);
	}

	LockState replace(Share share) {
		return with(with(this.shares, share, Share::holder), this.queue);
	}

	LockState takeAway(Predicate<Share> taken) {
		return with(filter(this.shares, taken.negate()), this.queue);
	}

	LockState takeAway(String holder) {
		return takeAway((share) -> share.holder().equals(holder));
	}

	LockState rememberRelease(Share share) {
		return new LockState(this.mode, this.permits, this.shares, this.queue, this.refused, share, this.lastToken);
	}

	boolean wasReleased(String holder, long token) {
		return this.released != null && this.released.token() == token && this.released.holder().equals(holder);
	}

	boolean isRefused(Claim claim) {
		return this.refused.containsKey(claim.name());
	}

	LockState refuse(Claim claim, long until) {
		Map<String, Long> changed = new HashMap<>(this.refused);
		changed.merge(claim.name(), until, (one, other) -> (one - other > 0) ? one : other);
		return new LockState(this.mode, this.permits, this.shares, this.queue, Map.copyOf(changed), this.released,
				this.lastToken);
	}

	boolean hasPlace(@Nullable QueuePlace place) {
		return place != null && this.queue.stream().anyMatch((other) -> other.id().equals(place.id()));
	}

	boolean hasWaiters() {
		return !this.queue.isEmpty();
	}

	boolean hasFairWaiters() {
		return this.queue.stream().anyMatch(Place::fair);
	}

	// All of them, unless the claim has a place
	List<Place> placesBefore(Claim claim) {
		String own = (claim.place() != null) ? claim.place().id() : "";
		return this.queue.stream().takeWhile((other) -> !other.id().equals(own)).toList();
	}

	int position(Claim claim) {
		return Math.min(1 + placesBefore(claim).size(), QueuePlace.LAST_COUNTED_POSITION);
	}

	// Takes a place at the end, or keeps it for longer
	LockState keepPlace(Claim claim, QueuePlace place, long now) {
		long deadline = now + position(claim) * place.kept().toNanos();
		Place kept = new Place(place.id(), claim.mode(), claim.permits(), claim.fair(), deadline);
		return with(this.shares, with(this.queue, kept, Place::id));
	}

	LockState giveUpPlace(@Nullable QueuePlace place) {
		return (place != null) ? with(this.shares, filter(this.queue, (other) -> !other.id().equals(place.id())))
				: this;
	}

	private LockState with(List<Share> changedShares, List<Place> changedQueue) {
		return new LockState(this.mode, this.permits, changedShares, changedQueue, this.refused, this.released,
				this.lastToken);
	}

	// The waiters in front that can have the lock as it is: one, or all that want to
	// share it. If there is room for just one more than before, those that it lets in
	List<Place> front(boolean oneMore) {
		if (!hasWaiters() || (isHeld() && !isShared())) {
			return List.of();
		}
		Place first = this.queue.get(0);
		return (first.mode() == LockMode.SHARED) ? sharersInFront(oneMore) : isHeld() ? List.of() : List.of(first);
	}

	private List<Place> sharersInFront(boolean oneMore) {
		List<Place> front = new ArrayList<>();
		int taken = this.shares.size();
		for (Place place : this.queue) {
			boolean isLetIn = place.mode() == LockMode.SHARED && taken < place.most();
			if (isLetIn && (!oneMore || taken + 1 == place.most() || place.most() == Place.NO_LIMIT)) {
				front.add(place);
			}
			taken = isLetIn ? taken + 1 : taken;
			if (place.mode() != LockMode.SHARED || (taken >= place.most() && place.fair())) {
				break;
			}
		}
		return front;
	}

	List<Share> sharesByEnd(long now) {
		return this.shares.stream().sorted(Comparator.comparing((Share share) -> share.ends() - now)).toList();
	}

	private static <T> List<T> filter(List<T> all, Predicate<T> wanted) {
		return all.stream().filter(wanted).toList();
	}

	private static <T> @Nullable T first(List<T> all, Predicate<T> wanted) {
		return all.stream().filter(wanted).findFirst().orElse(null);
	}

	// In place of the one with the same name, or at the end
	private static <T> List<T> with(List<T> all, T added, Function<T, String> name) {
		List<T> changed = new ArrayList<>(all);
		changed.replaceAll((other) -> name.apply(other).equals(name.apply(added)) ? added : other);
		if (!changed.contains(added)) {
			changed.add(added);
		}
		return List.copyOf(changed);
	}

	/**
	 * What one holder has of a lock.
	 *
	 * @param holder the holder's name in the store
	 * @param claim the name of the claim that was granted; empty for a lock that is kept
	 * @param token the token
	 * @param count the hold count
	 * @param ends when it ends
	 * @param passable whether the holder's instance may pass it on without asking
	 * @param passedTo the owner that it was passed to, or {@code null}
	 */
	public record Share(String holder, String claim, long token, int count, long ends, boolean passable,
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

		Share counting(int holds, @Nullable String other) {
			return new Share(this.holder, this.claim, this.token, holds, this.ends, this.passable, other);
		}

		Share lasting(long atLeastUntil) {
			return (atLeastUntil - this.ends > 0) ? new Share(this.holder, this.claim, this.token, this.count,
					atLeastUntil, this.passable, this.passedTo) : this;
		}

	}

	/**
	 * A place in the queue.
	 *
	 * @param id the place's name
	 * @param mode the mode that the waiter wants
	 * @param permits how many holders there may be with it; 0 for any number that share
	 * @param fair whether it is not to be overtaken
	 * @param deadline the time after which it no longer counts
	 */
	public record Place(String id, LockMode mode, int permits, boolean fair, long deadline) {

		static final int NO_LIMIT = Integer.MAX_VALUE;

		int most() {
			return (this.permits > 0) ? this.permits : NO_LIMIT;
		}

	}

}
