package io.holdfast.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.engine.LockStore.Renewal;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the leases of holds alive, and notices when one has run out. One thread, which
 * starts with the first hold, looks at each hold when a third of its lease has passed and
 * renews what is due in batches.
 *
 * <p>
 * A hold that has ended is not looked for: its entry is dropped when it comes up. A
 * renewal that crosses the end of its hold is booked on that hold, where it has no
 * effect, and never on a later hold of the same owner.
 */
final class Watchdog {

	private static final Logger logger = LoggerFactory.getLogger(Watchdog.class);

	private static final int BATCH_SIZE = 100;

	private static final long IDLE_NANOS = Duration.ofMinutes(1).toNanos();

	private final ConcurrentSkipListSet<Watch> watches = new ConcurrentSkipListSet<>();

	private final AtomicLong sequence = new AtomicLong();

	private final LockStore store;

	private final Losses losses;

	private final MonotonicClock clock;

	private volatile long asleepUntil;

	private volatile @Nullable Thread thread;

	private volatile @Nullable Instant lastRenewal;

	private boolean failing;

	Watchdog(LockStore store, Losses losses, MonotonicClock clock) {
		this.store = store;
		this.losses = losses;
		this.clock = clock;
	}

	/**
	 * Look after a hold, or look again when to do so.
	 */
	void watch(Hold hold) {
		watch(hold, nextLook(hold));
	}

	/**
	 * Stop looking after a hold.
	 */
	void forget(Hold hold) {
		Watch watch = hold.watch();
		if (watch != null) {
			this.watches.remove(watch);
		}
	}

	/**
	 * Return when a renewal last went through, or {@code null} when none has yet.
	 */
	@Nullable Instant lastRenewal() {
		return this.lastRenewal;
	}

	synchronized void stop() {
		Thread running = this.thread;
		this.thread = null;
		LockSupport.unpark(running);
		this.watches.clear();
	}

	private void watch(Hold hold, long due) {
		Watch watch = new Watch(hold, due, this.sequence.incrementAndGet());
		forget(hold);
		hold.watch(watch);
		this.watches.add(watch);
		Thread running = this.thread;
		if (running == null) {
			start();
		}
		else if (due - this.asleepUntil < 0) {
			LockSupport.unpark(running);
		}
	}

	private synchronized void start() {
		if (this.thread == null) {
			Thread fresh = DaemonThreads.named("holdfast-watchdog").newThread(this::run);
			this.asleepUntil = this.clock.nanos();
			this.thread = fresh;
			fresh.start();
		}
	}

	private void run() {
		while (this.thread == Thread.currentThread()) {
			List<Hold> due = takeDue();
			if (due.isEmpty()) {
				sleep();
			}
			else {
				look(due);
			}
		}
	}

	private void sleep() {
		this.asleepUntil = this.clock.nanos() + IDLE_NANOS;
		Iterator<Watch> inOrder = this.watches.iterator();
		if (inOrder.hasNext()) {
			this.asleepUntil = inOrder.next().due();
		}
		LockSupport.parkNanos(this, this.asleepUntil - this.clock.nanos());
	}

	private List<Hold> takeDue() {
		long now = this.clock.nanos();
		List<Hold> due = new ArrayList<>();
		for (Watch watch : this.watches) {
			if (watch.due() - now > 0 || due.size() == BATCH_SIZE) {
				break;
			}
			this.watches.remove(watch);
			if (watch.hold().watch() == watch) {
				due.add(watch.hold());
			}
		}
		return due;
	}

	/**
	 * Whatever goes wrong, no hold that is due gets out of sight.
	 */
	private void look(List<Hold> due) {
		try {
			renew(due.stream().filter(this::isToBeRenewed).toList());
		}
		catch (RuntimeException | Error ex) {
			failed(due, ex);
		}
	}

	private boolean isToBeRenewed(Hold hold) {
		if (this.losses.checkLease(hold) != null || !hold.isHeld()) {
			return false;
		}
		if (hold.wantedLease() == null) {
			watch(hold, hold.lease().deadline());
			return false;
		}
		return true;
	}

	private void renew(List<Hold> holds) {
		if (holds.isEmpty()) {
			return;
		}
		long sentAt = this.clock.nanos();
		List<@Nullable Duration> granted = this.store.renew(holds.stream().map(Watchdog::renewal).toList());
		for (int i = 0; i < holds.size(); i++) {
			renewed(holds.get(i), sentAt, granted.get(i));
		}
		succeeded();
	}

	private static Renewal renewal(Hold hold) {
		Duration wanted = hold.wantedLease();
		return new Renewal(hold.id(), (wanted != null) ? wanted : Duration.ZERO);
	}

	private void renewed(Hold hold, long sentAt, @Nullable Duration granted) {
		if (granted == null) {
			this.losses.gone(hold);
			return;
		}
		hold.renewalFailure(null);
		hold.lease().prolong(sentAt, granted);
		if (hold.isHeld()) {
			watch(hold);
		}
	}

	private void succeeded() {
		this.lastRenewal = Instant.now();
		if (this.failing) {
			this.failing = false;
			logger.info("Renewal of locks has recovered");
		}
	}

	private void failed(List<Hold> holds, Throwable failure) {
		if (!this.failing) {
			this.failing = true;
			logger.warn("Renewal of locks is failing, trying again while their leases last: {}", failure.getMessage());
			logger.debug("Why renewal is failing", failure);
		}
		for (Hold hold : holds) {
			hold.renewalFailure(failure);
			if (hold.isHeld()) {
				watch(hold, nextTry(hold));
			}
			else {
				this.losses.checkLease(hold);
			}
		}
	}

	/**
	 * When a third of the lease has passed, or at its end when it is not to be renewed.
	 */
	private long nextLook(Hold hold) {
		long deadline = hold.lease().deadline();
		Duration lease = hold.wantedLease();
		if (lease == null) {
			return deadline;
		}
		long third = MonotonicClock.toNanos(lease) / 3;
		return earlier(later(this.clock.nanos() + third, deadline - 2 * third), deadline);
	}

	/**
	 * After a failure, when another tenth of the lease has passed.
	 */
	private long nextTry(Hold hold) {
		long pause = MonotonicClock.toNanos(hold.terms().lease()) / 10;
		return earlier(this.clock.nanos() + pause, hold.lease().deadline());
	}

	private static long earlier(long one, long other) {
		return (one - other < 0) ? one : other;
	}

	private static long later(long one, long other) {
		return (one - other > 0) ? one : other;
	}

	/**
	 * A hold and when to look at it.
	 *
	 * @param hold the hold
	 * @param due when, on the monotonic clock
	 * @param sequence tells watches apart that are due at the same time
	 */
	record Watch(Hold hold, long due, long sequence) implements Comparable<Watch> {

		@Override
		public int compareTo(Watch other) {
			int byTime = Long.signum(this.due - other.due);
			return (byTime != 0) ? byTime : Long.compare(this.sequence, other.sequence);
		}

	}

}
