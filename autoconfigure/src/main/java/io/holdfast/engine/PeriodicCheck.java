package io.holdfast.engine;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Checks something at intervals while there is something to check.
 *
 * <p>
 * A thread that adds something calls {@link #start()} afterwards. Either no check is to
 * come, and this schedules one; or the last check has not yet been noted as the last.
 * Once that is noted, {@code needed} is asked again, and finds what was added before.
 *
 * @since 0.1.0
 */
public final class PeriodicCheck {

	private final Background background;

	private final Duration firstPause;

	private final Duration pause;

	private final BooleanSupplier needed;

	private final Runnable check;

	private final Background.Task next = new Background.Task(this::check);

	private volatile boolean started;

	/**
	 * Create a check that does not begin yet.
	 * @param background runs the checks
	 * @param firstPause time until the first check
	 * @param pause time between two checks
	 * @param needed whether there is something to check
	 * @param check checks it
	 */
	public PeriodicCheck(Background background, Duration firstPause, Duration pause, BooleanSupplier needed,
			Runnable check) {
		this.background = background;
		this.firstPause = firstPause;
		this.pause = pause;
		this.needed = needed;
		this.check = check;
	}

	public void start() {
		if (!this.started) {
			startNow();
		}
	}

	private synchronized void startNow() {
		if (!this.started) {
			schedule(this.firstPause);
			this.started = true;
		}
	}

	// A check that is under way decides whether another one is needed
	public synchronized void stop() {
		this.background.cancel(this.next);
		this.started = false;
	}

	private void check() {
		this.check.run();
		if (this.needed.getAsBoolean()) {
			schedule(this.pause);
			return;
		}
		ended();
		if (this.needed.getAsBoolean()) {
			start();
		}
	}

	private synchronized void ended() {
		this.started = false;
	}

	private void schedule(Duration pause) {
		this.background.schedule(this.next, MonotonicClock.toNanos(pause));
	}

}
