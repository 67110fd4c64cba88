package io.holdfast.faults.shutdown;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.faults.worker.Worker;
import io.holdfast.test.Running;

import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

import static org.awaitility.Awaitility.await;

/**
 * The end of an application: work lasts until it is asked to end, and for some time more,
 * and the test that has started it is told of it. Stops last, when all that is expected
 * has been told: the JVM would not wait for that.
 */
class Ending extends Running implements ApplicationListener<ContextClosedEvent> {

	private static final Duration LIMIT = Duration.ofSeconds(20);

	private final CountDownLatch asked = new CountDownLatch(1);

	private final CountDownLatch expected;

	Ending(int expected) {
		this.expected = new CountDownLatch(expected);
	}

	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		this.asked.countDown();
	}

	/**
	 * Work until the application is asked to end, and for so long after that.
	 */
	void work(Duration more) {
		try {
			this.asked.await();
			Thread.sleep(more.toMillis());
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	void workUntilRenewed(HoldfastLockRegistry registry) {
		work(Duration.ZERO);
		Instant end = Instant.now();
		await().atMost(LIMIT).until(() -> {
			Instant renewed = registry.status().lastRenewal();
			return renewed != null && renewed.isAfter(end);
		});
	}

	void tell(String format, Object... arguments) {
		Worker.answer(format.formatted(arguments));
	}

	/**
	 * Tell something that is waited for at the end.
	 */
	void tellExpected(String format, Object... arguments) {
		tell(format, arguments);
		this.expected.countDown();
	}

	@Override
	public void stop() {
		super.stop();
		try {
			this.expected.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public int getPhase() {
		return Integer.MIN_VALUE;
	}

}
