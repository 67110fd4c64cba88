package io.holdfast.engine;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.holdfast.engine.runtime.Background;
import io.holdfast.engine.runtime.Repetition;
import org.jspecify.annotations.Nullable;

/**
 * Looks at something again and again while there is something to look at, on a thread
 * that ends when there is not.
 *
 * <p>
 * Whoever adds something calls {@link #start()} afterwards. Either that finds no round to
 * come and sees to one; or the last round, which says that there are to be no more, has
 * not been noted as the last yet. After that has been noted it is asked once more whether
 * rounds are needed, so what was added before is found.
 */
final class Rounds {

	private final Duration firstPause;

	private final BooleanSupplier needed;

	private final Supplier<@Nullable Duration> round;

	private final Repetition repetition;

	private volatile boolean going;

	/**
	 * Create rounds that do not begin yet.
	 * @param name name of their thread
	 * @param firstPause time until the first, and until the next after one that failed
	 * @param needed whether there is something to look at
	 * @param round looks, and returns the time until the next round, or {@code null} when
	 * there is nothing to look at
	 */
	Rounds(Background background, String name, Duration firstPause, BooleanSupplier needed,
			Supplier<@Nullable Duration> round) {
		this.firstPause = firstPause;
		this.needed = needed;
		this.round = round;
		this.repetition = new Repetition(background, background.newExecutor(name, 1), firstPause, this::look);
	}

	/**
	 * There is something to look at.
	 */
	void start() {
		if (!this.going) {
			startNow();
		}
	}

	private synchronized void startNow() {
		if (!this.going) {
			this.repetition.beginAfter(this.firstPause);
			this.going = true;
		}
	}

	/**
	 * Forget the next round. If one is under way, it decides whether another is needed.
	 */
	synchronized void stop() {
		this.repetition.stop();
		this.going = false;
	}

	private @Nullable Duration look() {
		Duration pause = this.round.get();
		if (pause == null) {
			this.going = false;
			if (this.needed.getAsBoolean()) {
				start();
			}
		}
		return pause;
	}

}
