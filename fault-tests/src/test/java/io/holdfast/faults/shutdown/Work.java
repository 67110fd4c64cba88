package io.holdfast.faults.shutdown;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;

import io.holdfast.engine.HoldfastLockRegistry;

import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

import static org.awaitility.Awaitility.await;

/**
 * Work that lasts until the application is asked to end, and for some time more.
 */
class Work implements ApplicationListener<ContextClosedEvent> {

	private static final Duration LIMIT = Duration.ofSeconds(20);

	private final CountDownLatch asked = new CountDownLatch(1);

	private final HoldfastLockRegistry registry;

	Work(HoldfastLockRegistry registry) {
		this.registry = registry;
	}

	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		this.asked.countDown();
	}

	/**
	 * Work.
	 * @param more for how long to go on when the application is asked to end
	 */
	void last(Duration more) {
		awaitEnd();
		try {
			Thread.sleep(more.toMillis());
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Work until locks have been renewed after the application was asked to end.
	 */
	void lastUntilRenewed() {
		awaitEnd();
		Instant end = Instant.now();
		await().atMost(LIMIT).until(() -> {
			Instant renewed = this.registry.status().lastRenewal();
			return renewed != null && renewed.isAfter(end);
		});
	}

	private void awaitEnd() {
		try {
			this.asked.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
