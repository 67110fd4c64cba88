package io.holdfast.autoconfigure;

import io.holdfast.LockListener;
import io.holdfast.LockLostEvent;
import io.holdfast.LockSnapshot;

import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes lost locks as application events.
 */
class LockLostEventPublisher implements LockListener {

	private final ApplicationEventPublisher publisher;

	LockLostEventPublisher(ApplicationEventPublisher publisher) {
		this.publisher = publisher;
	}

	@Override
	public void onLost(LockSnapshot lock, Throwable cause) {
		this.publisher.publishEvent(new LockLostEvent(lock, cause));
	}

}
