package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.holdfast.LockSnapshot;
import io.holdfast.LogText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks each hold when its renewal is due, and notices when its lease has run out. Does
 * not wait for the store: another thread renews many holds at once, and each is checked
 * again a little later in case that fails.
 *
 * <p>
 * A renewal that crosses the end of its hold is booked on that hold, where it has no
 * effect, and never on a later hold of the same owner.
 */
final class Watchdog {

	private static final Logger logger = LoggerFactory.getLogger(Watchdog.class);

	// The part of a lease between two checks, also after a renewal without an answer
	private static final int RETRY_DIVISOR = 10;

	// The part of a lease by which renewals are delayed, to send more at once
	private static final int WINDOW_DIVISOR = 30;

	private final Renewals renewals;

	private final Losses losses;

	private final Listeners listeners;

	private final Background background;

	private final @Nullable Duration warnHold;

	private final EngineRuntime runtime;

	// What is to be asked for next
	private final Queue<Hold> due = new ConcurrentLinkedQueue<>();

	// What is due, or under way
	private final Set<Hold> unanswered = ConcurrentHashMap.newKeySet();

	private final Background.Task sending = new Background.Task(this::renewDue);

	Watchdog(Renewals renewals, Losses losses, Listeners listeners, Background background,
			@Nullable Duration warnHold) {
		this.renewals = renewals;
		this.losses = losses;
		this.listeners = listeners;
		this.background = background;
		this.warnHold = warnHold;
		this.runtime = background.runtime();
	}

	// Checks a hold once no more than two thirds of the wanted lease are left
	void watch(Hold hold) {
		long now = this.runtime.nanos();
		long due = dueAt(hold, now);
		scheduleCheck(hold, hold.isPassedOn() ? MonotonicClock.earlier(due, now + Hold.UNNAMED.toNanos()) : due);
	}

	private void checkAgain(Hold hold) {
		scheduleCheck(hold, dueAt(hold, retryAt(hold)));
	}

	// A longer lease that was asked for once does not put the next check off
	private long dueAt(Hold hold, long earliest) {
		long lease = leaseNanos(hold);
		long end = MonotonicClock.earlier(hold.lease().deadline(), this.runtime.nanos() + lease);
		long due = MonotonicClock.later(earliest, end - 2 * (lease / 3));
		return due + Math.floorMod(-due, lease / WINDOW_DIVISOR + 1);
	}

	private long retryAt(Hold hold) {
		return this.runtime.nanos() + leaseNanos(hold) / RETRY_DIVISOR;
	}

	// A nested acquisition with a longer lease does not put the next check off either
	private static long leaseNanos(Hold hold) {
		long own = MonotonicClock.toNanos(hold.terms().lease());
		Duration wanted = hold.wantedLease();
		return (wanted != null) ? Math.min(own, MonotonicClock.toNanos(wanted)) : own;
	}

	// At the end of its lease at the latest, a hold must be found to be lost
	private void scheduleCheck(Hold hold, long due) {
		Background.Task task = hold.watch();
		if (task == null) {
			task = new Background.Task((this.warnHold != null) ? new LongHold(hold, this.warnHold) : () -> check(hold));
			hold.watch(task);
		}
		long next = MonotonicClock.earlier(due, hold.lease().deadline());
		long untilLong = (this.warnHold != null) ? MonotonicClock.toNanos(this.warnHold.minus(hold.heldFor())) : 0;
		this.background.scheduleAt(task,
				(untilLong > 0) ? MonotonicClock.earlier(next, this.runtime.nanos() + untilLong) : next);
	}

	private static void warnOfLong(Hold hold) {
		LockSnapshot lock = hold.snapshot();
		String key = LogText.keys(lock.keys());
		boolean waitedFor = hold.grantor().isWaitedFor();
		logger.atWarn()
			.addKeyValue("key", key)
			.addKeyValue("owner", lock.owner())
			.addKeyValue("thread", lock.threadName())
			.addKeyValue("heldMs", hold.heldFor().toMillis())
			.addKeyValue("waitedFor", waitedFor)
			.log("Long hold of lock '{}' by {} ({}): {} ms so far{}", LogText.of(key),
					LogText.of(hold.holderName(null)), lock.owner(), hold.heldFor().toMillis(),
					waitedFor ? ", callers of this instance wait for it" : "");
	}

	// A hold without renewal is only looked up, and only if callers wait for its end: it
	// may have been removed in the store
	private void check(Hold hold) {
		if (this.losses.checkLease(hold) != null || !hold.isOpen()) {
			finish(hold);
			return;
		}
		if (hold.wantedLease() != null || hold.grantor().isWaitedFor()) {
			scheduleCheck(hold, retryAt(hold));
			renew(hold);
		}
		else {
			checkAgain(hold);
		}
	}

	// Callers wait for a release until the end of the lease, and no longer
	private void finish(Hold hold) {
		if (hold.loss() != null || hold.hasPassed() || hold.lease().isOver()) {
			this.losses.forget(hold);
		}
		else {
			scheduleCheck(hold, hold.lease().deadline());
		}
	}

	// All holds that are due now share requests. One without an answer is not asked for
	// once more
	private void renew(Hold hold) {
		if (this.unanswered.add(hold)) {
			this.due.add(hold);
			this.background.schedule(this.sending, 0);
		}
	}

	// Called once the background is stopped
	void stop() {
		this.due.clear();
		this.unanswered.clear();
	}

	private void renewDue() {
		List<Hold> holds = new ArrayList<>();
		for (Hold hold = this.due.poll(); hold != null; hold = this.due.poll()) {
			holds.add(hold);
		}
		this.renewals.renewLater(holds, this::answered);
	}

	private void answered(List<Hold> holds, Map<Hold, RuntimeException> failures) {
		holds.forEach(this.unanswered::remove);
		List<Hold> answered = holds.stream().filter((hold) -> !failures.containsKey(hold)).toList();
		answered.stream().filter(Hold::isOpen).forEach(this::checkAgain);
		this.losses.noteTrouble(answered, failures);
		this.listeners.tell(EngineListener::renewalFailed, countWanted(failures.keySet()));
		this.listeners.tell(EngineListener::renewed, countWanted(answered));
		failures.keySet().forEach(this.losses::checkLease);
	}

	private static long countWanted(Collection<Hold> holds) {
		return holds.stream().filter((hold) -> hold.wantedLease() != null).count();
	}

	// Checks a hold, and warns once if it is held for long. A slow log delays no renewal
	private final class LongHold implements Runnable {

		private final Hold hold;

		private final Duration limit;

		private boolean warned;

		private LongHold(Hold hold, Duration limit) {
			this.hold = hold;
			this.limit = limit;
		}

		@Override
		public void run() {
			if (this.warned || this.hold.heldFor().compareTo(this.limit) < 0 || !this.hold.isOpen()) {
				check(this.hold);
				return;
			}
			this.warned = true;
			Watchdog.this.listeners.tellAside(() -> warnOfLong(this.hold));
			scheduleCheck(this.hold, dueAt(this.hold, Watchdog.this.runtime.nanos()));
		}

	}

}
