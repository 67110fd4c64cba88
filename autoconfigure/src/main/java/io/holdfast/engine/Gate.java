package io.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.Semaphore;

import org.jspecify.annotations.Nullable;

/**
 * Lets one caller of this instance at a time deal with a key in the store, in order of
 * arrival. Whoever is through either holds the lock or waits for another instance to give
 * it up, and is told by {@link #wakeUp()} when that may have happened.
 */
final class Gate {

	private static final Duration NO_LIMIT = Duration.ofNanos(Long.MAX_VALUE);

	private final Semaphore passage = new Semaphore(1, true);

	private final Semaphore wakeUps = new Semaphore(0);

	private volatile @Nullable String holder;

	/**
	 * How many callers and holds need this gate. Changed by {@link Gates} alone, within
	 * its map.
	 */
	int users;

	boolean enter(Patience patience) throws InterruptedException {
		return patience.isOneTry() ? this.passage.tryAcquire() : patience.take(this.passage, NO_LIMIT);
	}

	void leave() {
		this.passage.release();
	}

	/**
	 * Forget earlier wake-ups: the caller is about to look for itself.
	 */
	void expectWakeUp() {
		this.wakeUps.drainPermits();
	}

	/**
	 * Wait for a wake-up, or for so long.
	 */
	void awaitWakeUp(Patience patience, Duration atMost) throws InterruptedException {
		patience.take(this.wakeUps, atMost);
	}

	void wakeUp() {
		if (this.wakeUps.availablePermits() == 0) {
			this.wakeUps.release();
		}
	}

	void abandon() {
		this.passage.release(Integer.MAX_VALUE / 2);
		wakeUp();
	}

	@Nullable String holder() {
		return this.holder;
	}

	void holder(@Nullable String holder) {
		this.holder = holder;
	}

}
