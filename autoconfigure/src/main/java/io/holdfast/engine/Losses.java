package io.holdfast.engine;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.holdfast.LockLostException;
import io.holdfast.LockSnapshot;
import io.holdfast.LogText;
import io.holdfast.OnLost;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Books the loss of a hold and reports it once.
 */
final class Losses {

	private static final Logger logger = LoggerFactory.getLogger(Losses.class);

	// Nothing tells which of the two
	static final String GONE = "it expired or was taken away in the store";

	private volatile boolean anyLost;

	private final Holds holds;

	private final Cleanup cleanup;

	private final Listeners listeners;

	private final boolean interrupt;

	private final Background background;

	// May have chosen another server than the one that has the lock
	private final @Nullable String chooser;

	// Guarded by this
	private final Set<Hold> failing = new LinkedHashSet<>();

	private long failingSince;

	private volatile boolean anyFailing;

	Losses(Holds holds, Cleanup cleanup, Listeners listeners, OnLost onLost, Background background,
			@Nullable String chooser) {
		this.holds = holds;
		this.cleanup = cleanup;
		this.listeners = listeners;
		this.interrupt = (onLost == OnLost.INTERRUPT);
		this.background = background;
		this.chooser = chooser;
	}

	// The store no longer knows the hold, or not all of it. The rest is released
	void gone(Hold hold, String found) {
		hold.doubtClaim();
		if (lose(hold, found)) {
			clear(hold);
		}
	}

	// The store no longer knows the hold; found by the thread that releases it
	void goneAtRelease(Hold hold) {
		LockSnapshot lock = hold.snapshot(1); // as before the release
		hold.doubtClaim();
		String reason = reason(hold, GONE);
		LockLostException loss = new LockLostException(hold.terms().keysText(), reason, hold.renewalFailure());
		report(hold, lock, loss, reason, hold.bookLoss(loss));
	}

	// Returns whether it was neither lost nor being released before
	boolean lose(Hold hold, String found) {
		this.anyLost = true;
		String reason = reason(hold, found);
		LockLostException loss = new LockLostException(hold.terms().keysText(), reason, hold.renewalFailure());
		LockSnapshot lock = hold.snapshot();
		List<Runnable> listeners = hold.lose(loss, this.interrupt);
		if (listeners != null) {
			report(hold, lock, loss, reason, listeners);
		}
		return listeners != null;
	}

	// The sections of lost holds may go on, and must not block the owner's next request
	void clearLost(List<String> keys, Owner owner) {
		for (Hold hold : this.anyLost ? this.holds.ofCurrentThread() : List.<Hold>of()) {
			if (hold.loss() != null && hold.owner().id().equals(owner.id())
					&& !Collections.disjoint(hold.terms().keys(), keys)) {
				forget(hold); // the thread that books the loss may be late
				clear(hold);
			}
		}
	}

	@Nullable LockLostException checkLease(Hold hold) {
		if (hold.lease().isOver()) {
			lose(hold,
					hold.owner().isDead() ? "its owner's thread has ended without releasing it" : "its lease ran out");
		}
		return hold.loss();
	}

	private void report(Hold hold, LockSnapshot lock, LockLostException loss, String reason, List<Runnable> listeners) {
		forget(hold);
		log(hold, loss, reason);
		this.listeners.lost(lock, loss, listeners);
	}

	// Release what may be left in the store of a hold that was lost
	void clear(Hold hold) {
		hold.endGrant((id) -> this.cleanup.release(id, hold.mayLastUntil(), Duration.ZERO));
	}

	void forget(Hold hold) {
		this.holds.remove(hold);
		if (this.anyFailing) {
			endTrouble(hold);
		}
		hold.grantor().end(hold);
	}

	// An acquisition was closed: its thread may not rely on the hold any more
	void closed(Hold hold) {
		this.holds.closed(hold);
	}

	void ended(Hold hold) {
		forget(hold);
		Background.Task watch = hold.watch();
		if (watch != null) {
			this.background.cancel(watch);
		}
	}

	// Tells when renewals begin to fail, and when none of the failed ones does any more:
	// others may succeed meanwhile, on another server of a Cluster. A hold that is
	// forgotten meanwhile is not open here, or finds there that something fails
	synchronized void noteTrouble(List<Hold> answered, Map<Hold, RuntimeException> failures) {
		boolean failed = !this.failing.isEmpty();
		boolean recovers = this.failing.removeAll(Set.copyOf(answered));
		this.failing.addAll(failures.keySet());
		this.anyFailing = !this.failing.isEmpty();
		this.failing.removeIf((hold) -> !hold.isOpen());
		if (!failed && !this.failing.isEmpty()) {
			this.failingSince = this.background.runtime().nanos();
			warnOfTrouble(failures.values().iterator().next());
		}
		else if (recovers && this.failing.isEmpty()) {
			tellRecovery((this.background.runtime().nanos() - this.failingSince) / 1_000_000);
		}
	}

	private static void tellRecovery(long millis) {
		logger.atInfo().addKeyValue("failedMs", millis).log("Renewal of locks has recovered after {} ms", millis);
	}

	private synchronized void endTrouble(Hold hold) {
		this.failing.remove(hold);
		this.anyFailing = !this.failing.isEmpty();
	}

	private void warnOfTrouble(RuntimeException failure) {
		List<LockSnapshot> locks = this.failing.stream().map(Hold::snapshot).toList();
		String keys = LogText.keys(locks.stream().flatMap((lock) -> lock.keys().stream()).toList());
		long left = locks.stream().mapToLong((lock) -> lock.remainingLease().toMillis()).min().orElse(0);
		logger.atWarn()
			.addKeyValue("key", keys)
			.addKeyValue("owner", locks.get(0).owner())
			.addKeyValue("atRisk", locks.size())
			.addKeyValue("remainingMs", left)
			.log("Renewal of locks is failing, trying again: {} at risk ({}), the first lease lasts {} ms more: {}",
					locks.size(), LogText.of(keys), left, LogText.of(failure.getMessage()));
		logger.debug("Why renewal is failing", failure);
	}

	private static void log(Hold hold, LockLostException loss, String reason) {
		logger.atWarn()
			.addKeyValue("key", hold.terms().keysText())
			.addKeyValue("owner", hold.owner().id())
			.addKeyValue("thread", hold.owner().threadName())
			.log("Lost lock '{}' of {} ({}): {}", LogText.of(hold.terms().keysText()),
					LogText.of(hold.owner().describe(null)), hold.owner().id(), LogText.of(reason));
		logger.debug("Why lock '{}' was lost", LogText.of(hold.terms().keysText()), loss);
	}

	private String reason(Hold hold, String found) {
		String chosen = (found.equals(GONE) && this.chooser != null)
				? ", or %s chose another server by what the thread carries".formatted(this.chooser) : "";
		Throwable failure = hold.renewalFailure();
		return found + chosen + ((failure != null) ? "; it could not be renewed: " + failure.getMessage() : "");
	}

}
