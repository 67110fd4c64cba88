package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Lets something happen once in a while.
 */
final class Pause {

	private final Duration length;

	private final AtomicLong end = new AtomicLong(System.nanoTime());

	Pause(Duration length) {
		this.length = length;
	}

	// Return whether it is over. If so, the next one begins.
	boolean isOver() {
		long due = this.end.get();
		long now = System.nanoTime();
		return now - due >= 0 && this.end.compareAndSet(due, now + this.length.toNanos());
	}

}
