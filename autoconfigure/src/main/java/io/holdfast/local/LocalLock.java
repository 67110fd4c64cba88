package io.holdfast.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
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

	private @Nullable Share released;

	private LockMode mode = LockMode.EXCLUSIVE;

	private int permits;

	// Whether the present change has let one sharer more in
	private boolean oneMore;

	LocalLock(String key) {
		this.key = key;
	}

	String key() {
		return this.key;
	}

	void settle(long now) {
		this.shares.values().removeIf((share) -> share.ends() - now <= 0);
		this.oneMore = false;
		this.queue.values().removeIf((place) -> place.deadline() - now < 0);
		this.withdrawnUntil.values().removeIf((until) -> until - now <= 0);
		this.released = (this.released != null && this.released.ends() - now > 0) ? this.released : null;
	}

	boolean isUnused() {
		return this.shares.isEmpty() && this.queue.isEmpty() && this.withdrawnUntil.isEmpty() && this.released == null;
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
		List<Place> earlier = placesBefore(claim);
		if (claim.permits() > 0 && this.shares.size() >= claim.permits()) {
			return denialOfPermit(claim, earlier.size(), now);
		}
		Place before = firstBefore(claim, earlier, claim.place() == null && !claim.fair());
		return (before != null) ? new Denied(null, Duration.ofNanos(before.deadline() - now)) : null;
	}

	private List<Place> placesBefore(Claim claim) {
		String own = (claim.place() != null) ? claim.place().id() : "";
		return this.queue.values().stream().takeWhile((other) -> !other.id().equals(own)).toList();
	}

	/**
	 * Return the first of the earlier waiters that a claim waits for, or {@code null}.
	 */
	private @Nullable Place firstBefore(Claim claim, List<Place> earlier, boolean barges) {
		boolean shares = claim.mode() == LockMode.SHARED;
		int taken = this.shares.size();
		Place first = null;
		for (Place other : earlier) {
			boolean sharesToo = shares && other.mode() == LockMode.SHARED;
			if (sharesToo ? other.fair() && taken + 1 >= other.most() : shares || claim.fair() || other.fair()) {
				return other;
			}
			if (sharesToo && taken < other.most() && (other.fair() || (claim.permits() > 0 && !barges))) {
				taken++;
				first = (first != null) ? first : other;
			}
			if (claim.permits() > 0 && taken >= claim.permits()) {
				return first;
			}
		}
		return null;
	}

	/**
	 * Deny a claim for which all permits are taken, until the end of the share that lets
	 * it in if all others stay.
	 */
	private Denied denialOfPermit(Claim claim, int earlier, long now) {
		List<Share> byEnd = this.shares.values()
			.stream()
			.sorted(Comparator.comparing((Share share) -> share.ends() - now))
			.toList();
		int last = Math.min(byEnd.size() - claim.permits() + earlier, byEnd.size() - 1);
		return new Denied(Holder.ownerOf(byEnd.get(0).name()), Duration.ofNanos(byEnd.get(last).ends() - now), 1,
				byEnd.size());
	}

	void grant(Claim claim, Share share) {
		this.permits = isHeld() ? this.permits : 0;
		this.permits = (claim.permits() > 0) ? claim.permits() : this.permits;
		grant(claim.mode(), share);
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
		this.oneMore = isShared();
	}

	/**
	 * Release what a holder has with a token. That can be repeated until a time, or until
	 * another holder has released the lock.
	 */
	boolean release(String holder, long token, long until) {
		if (held(holder, token) != null) {
			takeAway(holder);
			this.released = new Share(holder, "", token, until, false);
		}
		return this.released != null && this.released.token() == token && this.released.holder().equals(holder);
	}

	/**
	 * Take away what is held with a token, or everything if it is {@code null}.
	 */
	List<Holder> takeAway(@Nullable Long token, long now) {
		List<Share> taken = this.shares.values()
			.stream()
			.filter((share) -> token == null || token == share.token())
			.toList();
		taken.forEach((share) -> this.shares.remove(share.holder()));
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

	/**
	 * Take a place, or keep it for longer.
	 * @return how many times its time it is kept
	 */
	int keepPlace(Claim claim, QueuePlace place, long now) {
		int times = Math.min(1 + placesBefore(claim).size(), QueuePlace.MOST_TIMES);
		this.queue.put(place.id(), new Place(place.id(), claim.mode(), claim.permits(), claim.fair(),
				now + times * place.kept().toNanos()));
		return times;
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
		Place first = this.queue.values().stream().findFirst().orElse(null);
		List<Place> front = new ArrayList<>();
		if (first != null && first.mode() == LockMode.SHARED) {
			addSharers(front);
		}
		else if (first != null && !isHeld()) {
			front.add(first);
		}
		return front;
	}

	private void addSharers(List<Place> front) {
		int taken = this.shares.size();
		for (Place place : this.queue.values()) {
			if (place.mode() != LockMode.SHARED || (isHeld() && !isShared())) {
				return;
			}
			if (taken < place.most()) {
				if (!this.oneMore || taken + 1 == place.most() || place.most() == Place.NO_LIMIT) {
					front.add(place);
				}
				taken++;
			}
			if (taken >= place.most() && place.fair()) {
				return;
			}
		}
	}

	KeyState state(long now) {
		List<Holder> holders = this.shares.values()
			.stream()
			.limit(StoreView.MOST)
			.map((share) -> share.seen(now))
			.toList();
		return new KeyState(this.key, holders.isEmpty() ? null : this.mode, isHeld() ? this.permits : 0, holders,
				this.shares.size(), this.queue.keySet().stream().limit(StoreView.MOST).toList(), this.queue.size(),
				null);
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

	private record Place(String id, LockMode mode, int permits, boolean fair, long deadline) {

		static final int NO_LIMIT = Integer.MAX_VALUE;

		int most() {
			return (this.permits > 0) ? this.permits : NO_LIMIT;
		}

	}

}
