package io.holdfast.engine.runtime;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Does something on an executor again and again, until that says that it is done. An
 * attempt that throws is followed by another one.
 */
public final class Repetition {

	private final Background background;

	private final Executor executor;

	private final Duration retry;

	private final Supplier<@Nullable Duration> attempt;

	private final Background.Task next = new Background.Task(this::begin);

	/**
	 * Create a repetition that does not begin yet.
	 * @param executor where it is done
	 * @param retry time after which it is done again when it has failed
	 * @param attempt does it, and returns the time until it is to be done again, or
	 * {@code null} when it is done
	 */
	public Repetition(Background background, Executor executor, Duration retry, Supplier<@Nullable Duration> attempt) {
		this.background = background;
		this.executor = executor;
		this.retry = retry;
		this.attempt = attempt;
	}

	/**
	 * Make the first attempt soon.
	 */
	public void begin() {
		this.executor.execute(this::run);
	}

	/**
	 * Make the first attempt after a time.
	 */
	public void beginAfter(Duration pause) {
		this.background.schedule(this.next, MonotonicClock.toNanos(pause));
	}

	/**
	 * Forget the next attempt. If one is under way, it decides whether another follows.
	 */
	public void stop() {
		this.background.cancel(this.next);
	}

	private void run() {
		Duration pause = this.retry;
		try {
			pause = this.attempt.get();
		}
		finally {
			if (pause != null) {
				this.background.scheduleForSure(this.next, MonotonicClock.toNanos(pause));
			}
		}
	}

}
