package io.holdfast.sample.live;

import io.holdfast.sample.RushProgress;

import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Tells how a rush is getting on.
 */
@Component
class RushReporter {

	private final Audience audience;

	RushReporter(Audience audience) {
		this.audience = audience;
	}

	@EventListener
	void tell(RushProgress progress) {
		this.audience.tell(new Message("rush", progress));
	}

}
