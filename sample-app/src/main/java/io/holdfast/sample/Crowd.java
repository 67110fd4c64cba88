package io.holdfast.sample;

import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.stereotype.Component;

/**
 * Sends many buyers off at once, each on one of a limited number of threads.
 */
@Component
class Crowd {

	private final SampleProperties properties;

	Crowd(SampleProperties properties) {
		this.properties = properties;
	}

	/**
	 * Let buyers buy, and wait for the last of them.
	 */
	Turnout send(int buyers, Supplier<Purchase> purchase) {
		ExecutorService threads = Executors.newFixedThreadPool(Math.min(buyers, this.properties.buyerThreads()),
				new CustomizableThreadFactory("buyer-"));
		try {
			return Turnout.of(threads.invokeAll(Collections.nCopies(buyers, visit(purchase))));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while buyers were on their way", ex);
		}
		finally {
			threads.shutdownNow();
		}
	}

	private static Callable<Visit> visit(Supplier<Purchase> purchase) {
		return () -> {
			long arrivedAt = System.nanoTime();
			Purchase made = purchase.get();
			return new Visit(made.bought(), made.enteredAt() - arrivedAt);
		};
	}

	/**
	 * One buyer's visit to the shop.
	 *
	 * @param bought whether the buyer got a piece
	 * @param waited how long it took to get in, in nanoseconds
	 */
	record Visit(boolean bought, long waited) {
	}

}
