package io.holdfast.faults.shutdown;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import io.holdfast.faults.harness.Span;

import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Work that lasts until the application is asked to end, and for some time more.
 */
class Work implements ApplicationListener<ContextClosedEvent> {

	private final CountDownLatch asked = new CountDownLatch(1);

	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		this.asked.countDown();
	}

	/**
	 * Work.
	 * @param more for how long to go on when the application is asked to end
	 */
	void last(Duration more) {
		try {
			this.asked.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		Span.last(more);
	}

}
