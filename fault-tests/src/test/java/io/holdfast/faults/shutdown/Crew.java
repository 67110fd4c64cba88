package io.holdfast.faults.shutdown;

import java.time.Duration;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.engine.HoldfastLockRegistry.Status;
import io.holdfast.engine.HoldfastLockRegistry;

import static org.awaitility.Awaitility.await;

/**
 * All who hold locks and wait for some in an application.
 */
class Crew {

	/**
	 * How many hold a lock, and how many wait for one.
	 */
	static final int SIZE = 100;

	private static final Duration LIMIT = Duration.ofMinutes(3);

	private final Holders holders;

	private final Waiters waiters;

	private final HoldfastLockRegistry registry;

	Crew(Holders holders, Waiters waiters, HoldfastLockRegistry registry) {
		this.holders = holders;
		this.waiters = waiters;
		this.registry = registry;
	}

	/**
	 * Hold locks, then wait for others. Returns when all do.
	 */
	void begin() {
		this.holders.begin();
		await().atMost(LIMIT).until(() -> status().held() == SIZE);
		this.waiters.begin();
		await().atMost(LIMIT).until(() -> status().waiting() == SIZE);
	}

	private Status status() {
		return this.registry.status();
	}

	static Stream<String> keys(String kind, int number) {
		return IntStream.range(0, number).mapToObj((i) -> kind + "-" + i);
	}

	static void start(Runnable task) {
		new Thread(task, "crew").start();
	}

	/**
	 * Return what comes of something, be it an exception.
	 */
	static String outcome(Supplier<String> action) {
		try {
			return action.get();
		}
		catch (RuntimeException ex) {
			return ex.toString();
		}
	}

}
