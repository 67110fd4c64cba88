package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import io.holdfast.LockMode;
import io.holdfast.LogText;
import io.holdfast.engine.runtime.StoreThreads;
import io.holdfast.engine.store.LockStore;
import io.holdfast.engine.store.LockStore.Grant;
import io.holdfast.engine.store.LockStore.HoldId;
import io.holdfast.engine.store.StoreView.ForcedRelease;
import io.holdfast.engine.store.StoreView.Holder;
import io.holdfast.engine.store.StoreView.KeyState;
import io.holdfast.engine.store.UnfinishedReleaseException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Locks that operators release by force, here or elsewhere. A holder that is said to have
 * lost a lock has not lost it before the store says so: the message may be late, or
 * false.
 */
final class ForcedReleases {

	private static final Logger logger = LoggerFactory.getLogger(ForcedReleases.class);

	private static final String REASON = "an operator has released it";

	/**
	 * How often a hold is looked for that is not there, at growing intervals: for a
	 * second or two.
	 */
	private static final int MOST_LOOKS = 6;

	/**
	 * How many of those who shared a lock have a line of their own in the log.
	 */
	private static final int MOST_LINES = 100;

	/**
	 * How many of those who may have lost a lock are named.
	 */
	private static final int MOST_NAMES = 5;

	private final LockStore store;

	private final String instanceId;

	private final Holds holds;

	private final Renewals renewals;

	private final StoreThreads threads;

	ForcedReleases(LockStore store, String instanceId, Holds holds, Renewals renewals, StoreThreads threads) {
		this.store = store;
		this.instanceId = instanceId;
		this.holds = holds;
		this.renewals = renewals;
		this.threads = threads;
	}

	/**
	 * Release a lock by force.
	 * @param token the token of the only hold that is meant, or {@code null} for all
	 * @param within the time after which nothing is to be changed any more
	 */
	ForcedRelease release(String key, @Nullable Long token, Duration within) {
		try {
			ForcedRelease release = this.store.view().forceRelease(key, token, within);
			released(release);
			return release;
		}
		catch (UnfinishedReleaseException ex) {
			released(ex.release());
			if (ex.isUncertain()) {
				tellUncertain(ex, token);
			}
			throw ex;
		}
	}

	private void released(ForcedRelease release) {
		String key = release.before().key();
		List<Holder> released = release.released();
		released.stream().limit(MOST_LINES).forEach((holder) -> tell(release.before(), holder));
		if (released.size() > MOST_LINES) {
			logger.atWarn()
				.addKeyValue("key", key)
				.log("Lock '{}' was released by force: {} more shared it", LogText.of(key),
						released.size() - MOST_LINES);
		}
		released.stream()
			.filter((holder) -> holder.owner().startsWith(this.instanceId + ":"))
			.forEach((holder) -> checkSoon(new HoldId(key, holder.owner(), holder.token())));
	}

	private static void tellUncertain(UnfinishedReleaseException failure, @Nullable Long token) {
		KeyState before = failure.release().before();
		List<Holder> released = failure.release().released();
		String owners = before.holders()
			.stream()
			.filter((holder) -> token == null || token == holder.token())
			.filter((holder) -> released.stream().noneMatch((known) -> known.token() == holder.token()))
			.limit(MOST_NAMES)
			.map(Holder::owner)
			.collect(Collectors.joining(", "));
		logger.atWarn()
			.addKeyValue("key", before.key())
			.addKeyValue("owner", owners)
			.addKeyValue("token", token)
			.log("Lock '{}' of {} may have been released by force: {}", LogText.of(before.key()),
					owners.isEmpty() ? "an unknown holder" : LogText.of(owners), failure.getMessage());
	}

	private static void tell(KeyState before, Holder holder) {
		logger.atWarn()
			.addKeyValue("key", before.key())
			.addKeyValue("owner", holder.owner())
			.addKeyValue("token", holder.token())
			.log("Lock '{}' of {} was released by force: {} {}, held {} times, token {}, {} ms left",
					LogText.of(before.key()), LogText.of(holder.owner()),
					(before.mode() == LockMode.SHARED) ? "shared" : "exclusive",
					holder.kept() ? "but only kept" : "in use", holder.holdCount(), holder.token(),
					holder.remaining().toMillis());
	}

	/**
	 * Ask the store whether a hold is still there, if it is one of this instance. It may
	 * not be in the books yet: the message can overtake the reply to the request that the
	 * hold was granted for.
	 */
	void checkSoon(HoldId released) {
		AtomicInteger looks = new AtomicInteger();
		this.threads.repeat(released.keys(), () -> {
			Hold hold = find(released);
			return (hold != null) ? isSettled(hold) : looks.incrementAndGet() == MOST_LOOKS;
		});
	}

	private @Nullable Hold find(HoldId released) {
		Grant grant = released.grants().get(0);
		Hold hold = this.holds.find(grant.key(), released.owner());
		return (hold != null && hold.id().grants().contains(grant)) ? hold : null;
	}

	/**
	 * A store that does not answer is asked until it does, or the hold has ended: at the
	 * end of its lease at the latest, since it is not renewed then.
	 */
	private boolean isSettled(Hold hold) {
		return !hold.isOpen() || hold.lease().isOver() || this.renewals.renew(List.of(hold), REASON).isEmpty();
	}

}
