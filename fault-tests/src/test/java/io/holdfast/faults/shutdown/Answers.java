package io.holdfast.faults.shutdown;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.holdfast.faults.worker.Worker;

import org.springframework.context.SmartLifecycle;

/**
 * What an application tells the test that has started it. Stops last, when all that is
 * expected has been told: the JVM would not wait for that.
 */
class Answers implements SmartLifecycle {

	private final CountDownLatch expected;

	private volatile boolean running;

	/**
	 * Create answers.
	 * @param expected how many are waited for at the end
	 */
	Answers(int expected) {
		this.expected = new CountDownLatch(expected);
	}

	void give(String format, Object... arguments) {
		Worker.answer(format.formatted(arguments));
	}

	/**
	 * Give one of those that are waited for at the end.
	 */
	void giveExpected(String format, Object... arguments) {
		give(format, arguments);
		this.expected.countDown();
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		try {
			this.expected.await(20, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return Integer.MIN_VALUE;
	}

}
