package io.holdfast.sample.live;

import io.holdfast.LockLostEvent;

import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Tells which locks of this instance are lost.
 */
@Component
class Losses {

	private final Audience audience;

	Losses(Audience audience) {
		this.audience = audience;
	}

	@EventListener
	void tell(LockLostEvent event) {
		this.audience.tell(new Message("lost", new Loss(String.join(", ", event.lock().keys()),
				event.lock().threadName(), event.lock().fencingToken(), event.cause().getMessage())));
	}

	/**
	 * A loss as the page shows it.
	 *
	 * @param key what was locked
	 * @param thread name of the thread that held it
	 * @param token the token of the grant
	 * @param reason why it was lost
	 */
	record Loss(String key, String thread, long token, String reason) {
	}

}
