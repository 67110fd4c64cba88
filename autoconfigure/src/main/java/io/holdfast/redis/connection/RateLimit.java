package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

final class RateLimit {

	private final Duration period;

	private final AtomicLong next = new AtomicLong(System.nanoTime());

	RateLimit(Duration period) {
		this.period = period;
	}

	boolean tryAcquire() {
		long due = this.next.get();
		long now = System.nanoTime();
		return now - due >= 0 && this.next.compareAndSet(due, now + this.period.toNanos());
	}

}
