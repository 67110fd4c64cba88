package io.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at something again and again while there is something to look at. Has a thread of
 * its own, which ends when there is not.
 *
 * <p>
 * Whoever adds something calls {@link #start()} afterwards. Either that finds no round to
 * come and sees to one; or the last round, which says that there are to be no more, has
 * not been noted as the last yet. After that has been noted it is asked once more whether
 * rounds are needed, so what was added before is found.
 */
final class Rounds {

	private static final Logger logger = LoggerFactory.getLogger(Rounds.class);

	private final ScheduledExecutorService executor;

	private final Duration firstPause;

	private final BooleanSupplier needed;

	private final Supplier<@Nullable Duration> round;

	private volatile @Nullable Future<?> next;

	private @Nullable Object current;

	/**
	 * Create rounds that do not begin yet.
	 * @param runtime has their thread
	 * @param name name of their thread
	 * @param firstPause time until the first, and until the next after one that failed
	 * @param needed whether there is something to look at
	 * @param round looks, and returns the time until the next round, or {@code null} when
	 * there is nothing to look at
	 */
	Rounds(EngineRuntime runtime, String name, Duration firstPause, BooleanSupplier needed,
			Supplier<@Nullable Duration> round) {
		this.executor = runtime.newExecutor(name, 1);
		this.firstPause = firstPause;
		this.needed = needed;
		this.round = round;
	}

	/**
	 * There is something to look at.
	 */
	void start() {
		if (this.next == null) {
			startNow();
		}
	}

	/**
	 * Whoever asks for a lock gets it without being watched if there is no thread to be
	 * had.
	 */
	private synchronized void startNow() {
		try {
			if (this.next == null) {
				this.next = schedule(this.firstPause);
			}
		}
		catch (OutOfMemoryError ex) {
			logger.debug("There is no thread to look after locks", ex);
		}
	}

	/**
	 * Forget the next round. If one is under way, it decides whether another is needed.
	 */
	synchronized void stop() {
		if (this.next != null) {
			this.next.cancel(false);
			this.next = null;
		}
	}

	private Future<?> schedule(Duration pause) {
		Object fresh = new Object();
		this.current = fresh;
		return this.executor.schedule(() -> run(fresh), MonotonicClock.toNanos(pause), TimeUnit.NANOSECONDS);
	}

	/**
	 * A round that could not be given a thread comes up when a later one gets it: it is
	 * not the next one then.
	 */
	private void run(Object round) {
		synchronized (this) {
			if (this.current != round) {
				return;
			}
		}
		Duration pause = look();
		synchronized (this) {
			this.next = (pause != null) ? schedule(pause) : null;
		}
		if (pause == null && this.needed.getAsBoolean()) {
			start();
		}
	}

	private @Nullable Duration look() {
		try {
			return this.round.get();
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Could not look after locks, trying again", ex);
			return this.firstPause;
		}
	}

}
