package io.holdfast.engine;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.concurrent.StoreThreads;
import io.holdfast.engine.store.LockStore.HoldId;
import org.jspecify.annotations.Nullable;

/**
 * Locks that operators release by force, here or elsewhere. A holder has lost its lock
 * only when the store confirms it: the message may be late or false.
 */
final class ForcedReleases {

	static final String REASON = "an operator has released it";

	/**
	 * How often an unknown hold is looked up, at growing intervals: for a second or two.
	 */
	private static final int MOST_LOOKS = 6;

	private final Holds holds;

	private final Renewals renewals;

	private final StoreThreads threads;

	ForcedReleases(Holds holds, Renewals renewals, StoreThreads threads) {
		this.holds = holds;
		this.renewals = renewals;
		this.threads = threads;
	}

	/**
	 * Ask the store whether a hold is still there, if it is one of this instance. It may
	 * not be in the books yet: the message can overtake the reply to the request that the
	 * hold was granted for.
	 * @param reason why it is lost, if it is not there
	 */
	void checkSoon(HoldId released, String reason) {
		AtomicInteger looks = new AtomicInteger();
		this.threads.repeat(released.keys(), () -> {
			Hold hold = find(released);
			boolean found = hold != null && isSettled(hold, reason) && !hold.hasPassed();
			return found || (hold == null && looks.incrementAndGet() == MOST_LOOKS);
		});
	}

	private @Nullable Hold find(HoldId released) {
		return this.holds.all()
			.stream()
			.filter((hold) -> hold.isOpen() && hold.grant().id().grants().containsAll(released.grants()))
			.findFirst()
			.orElse(null);
	}

	/**
	 * Ask until the store answers or the hold ends: at the end of its lease at the
	 * latest, since it is not renewed any more.
	 */
	private boolean isSettled(Hold hold, String reason) {
		return !hold.isOpen() || hold.lease().isOver() || this.renewals.renew(List.of(hold), reason).isEmpty();
	}

}
