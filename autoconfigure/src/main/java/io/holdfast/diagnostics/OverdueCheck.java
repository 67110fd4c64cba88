package io.holdfast.diagnostics;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;

import io.holdfast.engine.Background;
import io.holdfast.engine.MonotonicClock;
import io.holdfast.engine.PeriodicCheck;
import org.jspecify.annotations.Nullable;

/**
 * Warns once of everything that takes longer than allowed: while it lasts, or at its end
 * if that comes first.
 *
 * <p>
 * The thread that removes a thing from the map issues its warning: the check that finds
 * it late, or its end. So each is warned of once.
 */
final class OverdueCheck<T> {

	private static final long NO_LIMIT = -1;

	private static final long SHORTEST_PAUSE = Duration.ofMillis(100).toNanos();

	private static final long LONGEST_PAUSE = Duration.ofSeconds(10).toNanos();

	private static final int CHECKS = 10;

	private final ConcurrentHashMap<T, Long> begun = new ConcurrentHashMap<>();

	private final long limit;

	private final MonotonicClock clock;

	private final Warning<T> warning;

	private final PeriodicCheck check;

	// Without a limit, nothing is checked
	OverdueCheck(@Nullable Duration limit, Background background, Warning<T> warning) {
		this.limit = (limit != null) ? MonotonicClock.toNanos(limit) : NO_LIMIT;
		Duration pause = Duration.ofNanos(Math.max(SHORTEST_PAUSE, Math.min(LONGEST_PAUSE, this.limit / CHECKS)));
		this.clock = background.runtime();
		this.warning = warning;
		this.check = new PeriodicCheck(background, pause, pause, () -> !this.begun.isEmpty(), this::look);
	}

	void began(T thing) {
		if (this.limit != NO_LIMIT) {
			this.begun.put(thing, this.clock.nanos());
			this.check.start();
		}
	}

	void ended(T thing) {
		Long start = (this.limit != NO_LIMIT) ? this.begun.remove(thing) : null;
		if (start != null && this.clock.nanos() - start >= this.limit) {
			warn(thing, start, true);
		}
	}

	void stop() {
		this.check.stop();
	}

	private void look() {
		this.begun.forEach((thing, start) -> {
			if (this.clock.nanos() - start >= this.limit && this.begun.remove(thing, start)) {
				warn(thing, start, false);
			}
		});
	}

	private void warn(T thing, long start, boolean ended) {
		this.warning.warn(thing, Duration.ofNanos(this.clock.nanos() - start), ended);
	}

	@FunctionalInterface
	interface Warning<T> {

		void warn(T thing, Duration elapsed, boolean ended);

	}

}
