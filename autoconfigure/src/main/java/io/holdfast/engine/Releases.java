package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.holdfast.LockSnapshot;
import io.holdfast.LogText;
import io.holdfast.ReleaseResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases the acquisitions of a hold, and with the last one the hold, under the lock of
 * its count. Also ends a hold that no caller has.
 */
final class Releases {

	private static final Logger logger = LoggerFactory.getLogger(Releases.class);

	private final LockStore store;

	private final Renewals renewals;

	private final Losses losses;

	private final Cleanup cleanup;

	private final StoreThreads threads;

	private final AsyncThreads asyncThreads;

	private final Listeners listeners;

	private final Tally underWay;

	Releases(LockStore store, Renewals renewals, Losses losses, Cleanup cleanup, StoreThreads threads,
			AsyncThreads asyncThreads, Listeners listeners, EngineRuntime runtime) {
		this.store = store;
		this.renewals = renewals;
		this.losses = losses;
		this.cleanup = cleanup;
		this.threads = threads;
		this.asyncThreads = asyncThreads;
		this.listeners = listeners;
		this.underWay = new Tally(runtime);
	}

	ReleaseResult release(Entry entry) {
		Hold hold = entry.hold();
		entry.giveUp();
		hold.counting().lock();
		try {
			return releaseOnce(hold, entry, false);
		}
		finally {
			hold.counting().unlock();
		}
	}

	ReleaseResult releaseUnused(Entry entry) {
		entry.noteUnused();
		return release(entry);
	}

	// In a shutdown that the owner waits for. The rest of its section runs without the
	// lock, and must not commit. Returns whether the store has answered
	boolean releaseInShutdown(Hold hold) {
		hold.counting().lock();
		try {
			if (!hold.isOpen()) {
				return true;
			}
			ReleaseResult result = ReleaseResult.PENDING; // if an Error ends it
			try {
				result = end(hold, false);
			}
			finally {
				hold.endInShutdown(result);
			}
			return result != ReleaseResult.PENDING;
		}
		finally {
			hold.counting().unlock();
		}
	}

	// On threads that may block, for a caller that does not
	<T> CompletableFuture<T> async(List<String> keys, Supplier<T> release) {
		return this.asyncThreads.call(keys, release);
	}

	// Waits neither for the store nor for other releases
	void releaseInBackground(Entry entry) {
		this.threads.repeat(entry.hold().terms().keys(), () -> tryReleaseAside(entry));
	}

	private boolean tryReleaseAside(Entry entry) {
		Hold hold = entry.hold();
		if (!hold.counting().tryLock()) {
			return false;
		}
		try {
			releaseOnce(hold, entry, true);
			return true;
		}
		finally {
			hold.counting().unlock();
		}
	}

	// Whatever is thrown, the acquisition is given up. The entry is closed last, so that
	// it is notified of a loss that is found meanwhile
	private ReleaseResult releaseOnce(Hold hold, Entry entry, boolean aside) {
		ReleaseResult result = entry.result();
		if (result != null) {
			leave(hold, entry); // in case a shutdown has released it
			return result;
		}
		result = ReleaseResult.PENDING; // if an Error ends it
		try {
			result = hold.isLastEntry() ? end(hold, aside) : reduce(hold, entry, aside);
			return result;
		}
		finally {
			leave(hold, entry);
			entry.result(result);
		}
	}

	private void leave(Hold hold, Entry entry) {
		hold.close(entry);
		this.losses.closed(hold);
	}

	void awaitNone(Duration atMost) {
		this.underWay.awaitNone(atMost);
	}

	// For a hold that could not be handed to its caller
	void abandon(Hold hold) {
		try {
			hold.abandon();
			hold.endGrant((id) -> this.cleanup.giveBack(id, hold.terms().lease()));
		}
		finally {
			this.losses.ended(hold);
		}
	}

	// If the store does not get the count now, the next release sends it: counts are
	// absolute. A downgrade is repeated soon, since readers wait for it
	private ReleaseResult reduce(Hold hold, Entry leaving, boolean aside) {
		boolean downgraded = false;
		try {
			boolean lost = this.losses.checkLease(hold) != null;
			downgraded = hold.downgrade(leaving);
			if (lost) {
				return ReleaseResult.LOST;
			}
			if (aside) {
				sendCountLater(hold);
			}
			else if (!updateStore(hold, hold.countWithout(leaving), downgraded)) {
				return ReleaseResult.LOST;
			}
		}
		catch (RuntimeException ex) {
			if (downgraded) {
				sendCountLater(hold);
			}
			logger.debug("Could not reduce the count of lock '{}'", LogText.of(hold.terms().keysText()), ex);
		}
		finally {
			if (downgraded) {
				hold.grantor().detach(hold);
			}
		}
		return ReleaseResult.STILL_HELD;
	}

	private boolean updateStore(Hold hold, int left, boolean downgraded) {
		return downgraded ? downgrade(hold, left) : this.renewals.setCount(hold, left, Duration.ZERO);
	}

	private boolean downgrade(Hold hold, int left) {
		boolean held = hold.context().call(() -> this.store.downgrade(hold.grant().id(), left, hold.nameForStore()));
		if (!held) {
			this.losses.gone(hold, Losses.GONE);
		}
		return held;
	}

	private void sendCountLater(Hold hold) {
		this.threads.repeat(hold.terms().keys(), () -> trySendCount(hold));
	}

	private boolean trySendCount(Hold hold) {
		if (!hold.counting().tryLock()) {
			return false;
		}
		try {
			int count = hold.count();
			if (count > 0 && (!hold.isDowngraded() || downgrade(hold, count))) {
				this.renewals.setCount(hold, count, Duration.ZERO);
			}
			return true;
		}
		catch (RuntimeException ex) {
			logger.debug("Could not update the count of lock '{}', trying again", LogText.of(hold.terms().keysText()),
					ex);
			return false;
		}
		finally {
			hold.counting().unlock();
		}
	}

	// Whatever is thrown, the hold ends here
	private ReleaseResult end(Hold hold, boolean aside) {
		if (hold.isReleasing()) {
			releaseLater(hold);
			this.losses.ended(hold);
			return ReleaseResult.PENDING;
		}
		@Nullable LockSnapshot before = null;
		ReleaseResult result;
		this.underWay.begin();
		try {
			before = this.listeners.isEmpty() ? null : hold.snapshot();
			this.losses.checkLease(hold);
			result = endInStore(hold, aside);
		}
		catch (RuntimeException | Error ex) {
			result = endAside(hold);
			logger.debug("Could not release lock '{}' now, trying again", LogText.of(hold.terms().keysText()), ex);
			if (ex instanceof Error) {
				throw ex;
			}
		}
		finally {
			this.losses.ended(hold);
			this.underWay.end();
		}
		if (before != null) {
			this.listeners.released(before, hold.heldFor(), result, aside);
		}
		return result;
	}

	private ReleaseResult endInStore(Hold hold, boolean aside) {
		if (aside || !hold.startRelease()) {
			return endAside(hold);
		}
		Duration keptFor = hold.keptFor();
		ReleaseResult result = hold.context()
			.call(() -> keptFor.isZero() ? hold.grantor().release(hold, () -> releaseInStore(hold))
					: hold.releaseResult(this.store.keep(hold.grant().id(), keptFor)));
		if (result == ReleaseResult.LOST) {
			this.losses.goneAtRelease(hold);
		}
		return result;
	}

	// If the store does not have it, a fail-over may have undone the hand-over to it
	private ReleaseResult releaseInStore(Hold hold) {
		boolean held = false;
		try {
			held = this.store.release(hold.grant().id());
			return hold.releaseResult(held);
		}
		finally {
			if (!held) {
				hold.doubtClaim();
			}
		}
	}

	private ReleaseResult endAside(Hold hold) {
		if (hold.startRelease()) {
			releaseLater(hold);
			return ReleaseResult.PENDING;
		}
		this.losses.clear(hold);
		return ReleaseResult.LOST;
	}

	private void releaseLater(Hold hold) {
		hold.endGrant((id) -> this.cleanup.release(id, hold.mayLastUntil(), hold.keptFor()));
	}

}
