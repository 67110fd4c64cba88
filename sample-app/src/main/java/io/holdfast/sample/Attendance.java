package io.holdfast.sample;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import org.springframework.context.ApplicationEventPublisher;

/**
 * Counts the buyers of a rush on their way out, and tells how many they are.
 */
final class Attendance {

	private static final long INTERVAL = Duration.ofMillis(50).toNanos();

	private final Rush rush;

	private final int stock;

	private final ApplicationEventPublisher events;

	private final AtomicInteger done = new AtomicInteger();

	private final AtomicInteger bought = new AtomicInteger();

	private final AtomicLong toldAt = new AtomicLong(System.nanoTime());

	Attendance(Rush rush, int stock, ApplicationEventPublisher events) {
		this.rush = rush;
		this.stock = stock;
		this.events = events;
	}

	/**
	 * Count somebody who does this and leaves, also with an exception.
	 */
	Purchase count(Supplier<Purchase> visit) {
		try {
			Purchase purchase = visit.get();
			this.bought.addAndGet(purchase.bought() ? 1 : 0);
			return purchase;
		}
		finally {
			this.done.incrementAndGet();
			tellNowAndThen();
		}
	}

	private void tellNowAndThen() {
		long last = this.toldAt.get();
		long now = System.nanoTime();
		if (now - last > INTERVAL && this.toldAt.compareAndSet(last, now)) {
			tell(false);
		}
	}

	void tell(boolean over) {
		this.events.publishEvent(new RushProgress(this.rush.locked(), this.rush.buyers(), this.stock, this.done.get(),
				this.bought.get(), over));
	}

}
