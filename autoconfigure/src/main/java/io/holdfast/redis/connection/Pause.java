package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Lets something happen once in a while: a server that refuses its clients must not be
 * overrun by new connections.
 */
final class Pause {

	private final Duration length;

	private final AtomicLong end = new AtomicLong(System.nanoTime());

	Pause(Duration length) {
		this.length = length;
	}

	/**
	 * Let it begin at a time that is not to come.
	 */
	void beginAt(long nanoTime) {
		this.end.set(nanoTime + this.length.toNanos());
	}

	/**
	 * Return for how many nanoseconds it lasts; zero or less if it is over.
	 */
	long left() {
		return this.end.get() - System.nanoTime();
	}

	/**
	 * Return whether it has been over for some time. None begins.
	 */
	boolean isOverFor(Duration time) {
		return System.nanoTime() - this.end.get() > time.toNanos();
	}

	/**
	 * Return whether it is over. If so, the next one begins.
	 */
	boolean isOver() {
		long due = this.end.get();
		long now = System.nanoTime();
		return now - due >= 0 && this.end.compareAndSet(due, now + this.length.toNanos());
	}

}
