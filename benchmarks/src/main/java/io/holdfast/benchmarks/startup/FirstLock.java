package io.holdfast.benchmarks.startup;

import io.holdfast.benchmarks.contender.ClientSettings;
import io.holdfast.benchmarks.contender.Contender;
import io.holdfast.benchmarks.contender.LockClient;

/**
 * A JVM that acquires and releases locks for the first time, and prints how long that
 * took.
 */
public final class FirstLock {

	private FirstLock() {
	}

	/**
	 * Acquire the first lock, and a second one.
	 * @param arguments a contender's name and the port of Redis
	 * @throws InterruptedException when interrupted
	 */
	public static void main(String[] arguments) throws InterruptedException {
		ClientSettings settings = new ClientSettings(Integer.parseInt(arguments[1]), 1, true);
		try (LockClient client = Contender.of(arguments[0]).open(settings)) {
			System.out.printf("%s %d %d%n", StartUp.MEASURED, microsFor(client, "first"), microsFor(client, "second"));
		}
	}

	private static long microsFor(LockClient client, String key) throws InterruptedException {
		long start = System.nanoTime();
		client.acquire(key).release();
		return (System.nanoTime() - start) / 1000;
	}

}
