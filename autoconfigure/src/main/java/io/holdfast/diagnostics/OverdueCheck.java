package io.holdfast.diagnostics;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.holdfast.concurrent.Background;
import io.holdfast.concurrent.MonotonicClock;
import io.holdfast.concurrent.PeriodicCheck;
import org.jspecify.annotations.Nullable;

/**
 * Warns once of everything that takes longer than allowed: while it lasts, or at its end
 * if that comes first.
 *
 * <p>
 * The thread that removes a thing from the map issues its warning: the check that finds
 * it late, or its end. So each is warned of once. The next check is due when the next
 * thing is late, but checks use at most a fiftieth of a thread's time.
 *
 * @param <T> what takes time; two of them are never equal
 */
final class OverdueCheck<T> {

	private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);

	/**
	 * Things may end without ever being late, and then the checks end.
	 */
	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

	private static final int PAUSE_FACTOR = 50;

	private final ConcurrentHashMap<T, Long> begun = new ConcurrentHashMap<>();

	private final long limit;

	private final MonotonicClock clock;

	private final Warning<T> warning;

	private final PeriodicCheck check;

	OverdueCheck(Duration limit, Background background, Warning<T> warning) {
		this.limit = MonotonicClock.toNanos(limit);
		this.clock = background.runtime();
		this.warning = warning;
		this.check = new PeriodicCheck(background, shorter(limit, LONGEST_PAUSE),
				() -> this.begun.keys().hasMoreElements(), this::look);
	}

	void began(T thing) {
		this.begun.put(thing, this.clock.nanos());
		this.check.start();
	}

	void ended(T thing) {
		Long start = this.begun.remove(thing);
		if (start != null && this.clock.nanos() - start >= this.limit) {
			warn(thing, start, true);
		}
	}

	void stop() {
		this.check.stop();
	}

	/**
	 * Things that begin during this check are late after another limit, at the earliest.
	 */
	private @Nullable Duration look() {
		long now = this.clock.nanos();
		boolean last = true;
		long next = now + this.limit;
		for (Map.Entry<T, Long> entry : this.begun.entrySet()) {
			Long start = entry.getValue();
			if (now - start < this.limit) {
				last = false;
				next = MonotonicClock.earlier(next, start + this.limit);
			}
			else if (this.begun.remove(entry.getKey(), start)) {
				warn(entry.getKey(), start, false);
			}
		}
		return last ? null : pause(next, this.clock.nanos() - now);
	}

	private Duration pause(long next, long took) {
		Duration wanted = shorter(Duration.ofNanos(next - this.clock.nanos()), LONGEST_PAUSE);
		Duration rest = Duration.ofNanos(took).multipliedBy(PAUSE_FACTOR);
		return longer(wanted, longer(rest, SHORTEST_PAUSE));
	}

	private void warn(T thing, long start, boolean ended) {
		this.warning.warn(thing, Duration.ofNanos(this.clock.nanos() - start), ended);
	}

	private static Duration shorter(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

	private static Duration longer(Duration one, Duration other) {
		return (one.compareTo(other) > 0) ? one : other;
	}

	/**
	 * Warns of something that takes too long.
	 *
	 * @param <T> what takes time
	 */
	@FunctionalInterface
	interface Warning<T> {

		/**
		 * Warn.
		 * @param thing what takes too long
		 * @param elapsed how long it has taken
		 * @param ended whether it is over
		 */
		void warn(T thing, Duration elapsed, boolean ended);

	}

}
