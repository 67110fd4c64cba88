package io.holdfast.engine;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.holdfast.engine.runtime.Background;
import io.holdfast.engine.runtime.MonotonicClock;
import org.jspecify.annotations.Nullable;

/**
 * Warns once of each thing that takes longer than it may: while it goes on, or at its end
 * if that comes before anybody has looked.
 *
 * <p>
 * Whoever takes a thing out of the map decides about its warning: the round that finds it
 * late, or its end. So it is warned of once, however the two cross. Things of which has
 * been warned are not looked at any more. Rounds come when the next thing will be late,
 * but never so often that they take more than a fiftieth of a thread's time.
 *
 * @param <T> what takes time; two of them are never equal
 */
final class Overtime<T> {

	private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);

	/**
	 * Things may end without ever being late, and then nobody needs the thread.
	 */
	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

	private static final int LEISURE = 50;

	private final ConcurrentHashMap<T, Long> begun = new ConcurrentHashMap<>();

	private final long limit;

	private final MonotonicClock clock;

	private final Warning<T> warning;

	private final Rounds rounds;

	Overtime(String name, Duration limit, Background background, Warning<T> warning) {
		this.limit = MonotonicClock.toNanos(limit);
		this.clock = background.runtime();
		this.warning = warning;
		this.rounds = new Rounds(background, name, shorter(limit, LONGEST_PAUSE),
				() -> this.begun.keys().hasMoreElements(), this::look);
	}

	void began(T thing) {
		this.begun.put(thing, this.clock.nanos());
		this.rounds.start();
	}

	void ended(T thing) {
		Long start = this.begun.remove(thing);
		if (start != null && this.clock.nanos() - start >= this.limit) {
			warn(thing, start, true);
		}
	}

	void stop() {
		this.rounds.stop();
	}

	/**
	 * What begins during this round is late when another limit has passed, at the
	 * earliest.
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
		Duration leisure = Duration.ofNanos(took).multipliedBy(LEISURE);
		return longer(wanted, longer(leisure, SHORTEST_PAUSE));
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
