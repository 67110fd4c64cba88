package io.holdfast.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at each hold when it is time to renew it, and notices when its lease has run out.
 * One thread, which starts with the first hold and never waits for the store: what is to
 * be renewed goes to the {@link Renewer}, in batches, and is looked at again at the end
 * of its lease if nothing has come of that.
 *
 * <p>
 * A hold that has ended is not looked for: its entry is dropped when it comes up.
 */
final class Watchdog {

	private static final Logger logger = LoggerFactory.getLogger(Watchdog.class);

	/**
	 * How many keys are renewed at once, unless a single hold has more.
	 */
	private static final int BATCH_SIZE = 100;

	/**
	 * The part of a lease for which a renewal is put off so that others can go along.
	 */
	private static final int WINDOW_DIVISOR = 30;

	private static final long IDLE_NANOS = Duration.ofMinutes(1).toNanos();

	private final ConcurrentSkipListSet<Watch> watches = new ConcurrentSkipListSet<>();

	private final AtomicLong sequence = new AtomicLong();

	private final Losses losses;

	private final EngineRuntime runtime;

	private final Renewer renewer;

	private volatile long asleepUntil;

	private volatile boolean stopped;

	private volatile @Nullable Thread thread;

	Watchdog(LockStore store, Losses losses, Holds holds, RenewalTrouble trouble, EngineRuntime runtime) {
		this.losses = losses;
		this.runtime = runtime;
		this.renewer = new Renewer(store, losses, holds, this, trouble, runtime);
	}

	/**
	 * Look after a hold, or look again when to do so.
	 */
	void watch(Hold hold) {
		long deadline = hold.lease().deadline();
		Duration lease = hold.wantedLease();
		if (lease == null) {
			watch(hold, deadline, deadline);
			return;
		}
		long third = MonotonicClock.toNanos(lease) / 3;
		long earliest = MonotonicClock.later(this.runtime.nanos() + third, deadline - 2 * third);
		long latest = earliest + MonotonicClock.toNanos(lease) / WINDOW_DIVISOR;
		watch(hold, MonotonicClock.earlier(earliest, deadline), MonotonicClock.earlier(latest, deadline));
	}

	/**
	 * Look after a hold that could not be renewed: when another tenth of the lease has
	 * passed.
	 */
	void watchAfterFailure(Hold hold) {
		long pause = MonotonicClock.toNanos(hold.terms().lease()) / 10;
		long due = MonotonicClock.earlier(this.runtime.nanos() + pause, hold.lease().deadline());
		watch(hold, due, due);
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
		return this.renewer.lastRenewal();
	}

	RenewalCounts renewals() {
		return this.renewer.counts();
	}

	/**
	 * Allow the watchdog to run again after it was stopped.
	 */
	void open() {
		this.stopped = false;
	}

	synchronized void stop() {
		this.stopped = true;
		Thread running = this.thread;
		this.thread = null;
		this.runtime.unpark(running);
		this.watches.clear();
	}

	private void watch(Hold hold, long earliest, long due) {
		Watch watch = new Watch(hold, earliest, due, this.sequence.incrementAndGet());
		forget(hold);
		hold.watch(watch);
		this.watches.add(watch);
		Thread running = this.thread;
		if (running == null) {
			start();
		}
		else if (due - this.asleepUntil < 0) {
			this.runtime.unpark(running);
		}
	}

	private synchronized void start() {
		if (this.thread != null || this.stopped) {
			return;
		}
		Thread fresh = this.runtime.newThread("holdfast-watchdog", this::run);
		this.asleepUntil = this.runtime.nanos();
		this.thread = fresh;
		try {
			fresh.start();
		}
		catch (Error ex) {
			this.thread = null;
			logger.error("Locks cannot be renewed for lack of a thread; the next lock tries again", ex);
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

	/**
	 * Says until when it sleeps before it looks at what comes first: whoever adds
	 * something earlier meanwhile sees that and wakes it.
	 */
	private void sleep() {
		this.asleepUntil = this.runtime.nanos() + IDLE_NANOS;
		Iterator<Watch> inOrder = this.watches.iterator();
		if (inOrder.hasNext()) {
			this.asleepUntil = inOrder.next().due();
		}
		this.runtime.park(this, this.asleepUntil - this.runtime.nanos());
	}

	/**
	 * Take what is due, and what can go along with it.
	 */
	private List<Hold> takeDue() {
		long now = this.runtime.nanos();
		List<Hold> due = new ArrayList<>();
		int room = BATCH_SIZE;
		for (Watch watch : this.watches) {
			int keys = watch.hold().id().grants().size();
			long time = due.isEmpty() ? watch.due() : watch.earliest();
			if (time - now > 0 || (keys > room && !due.isEmpty())) {
				break;
			}
			this.watches.remove(watch);
			if (watch.hold().watch() == watch) {
				due.add(watch.hold());
				room -= keys;
			}
		}
		return due;
	}

	private void look(List<Hold> due) {
		try {
			List<Hold> open = due.stream()
				.filter((hold) -> this.losses.checkLease(hold) == null && hold.isOpen())
				.toList();
			open.forEach((hold) -> watch(hold, hold.lease().deadline(), hold.lease().deadline()));
			List<Hold> renewable = open.stream().filter((hold) -> hold.wantedLease() != null).toList();
			if (!renewable.isEmpty()) {
				this.renewer.renew(renewable);
			}
		}
		catch (RuntimeException | Error ex) {
			logger.error("Unexpected failure while looking after locks", ex);
			due.forEach(this::watchAfterFailure);
		}
	}

	/**
	 * A hold and when to look at it, on the monotonic clock.
	 *
	 * @param hold the hold
	 * @param earliest when it can go along with others
	 * @param due when it is to be looked at in any case
	 * @param sequence tells watches apart that are due at the same time
	 */
	record Watch(Hold hold, long earliest, long due, long sequence) implements Comparable<Watch> {

		@Override
		public int compareTo(Watch other) {
			int byTime = Long.signum(this.due - other.due);
			return (byTime != 0) ? byTime : Long.compare(this.sequence, other.sequence);
		}

	}

}
