package io.holdfast.sample.live;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.holdfast.sample.RushProgress;
import io.holdfast.sample.RushResult;

import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Tells how a rush is getting on, and what came of it. The latest is kept for those who
 * come later.
 */
@Component
class RushReporter {

	private final Audience audience;

	private final Map<String, Message> latest = new ConcurrentHashMap<>();

	RushReporter(Audience audience) {
		this.audience = audience;
	}

	@EventListener
	void tell(RushProgress progress) {
		tell("progress", new Message("rush", progress));
	}

	@EventListener
	void tell(RushResult result) {
		tell(result.locked() ? "locked" : "unlocked", new Message("result", result));
	}

	private void tell(String subject, Message message) {
		this.latest.put(subject, message);
		this.audience.tell(message);
	}

	/**
	 * Return the results with and without the lock, and how the latest rush is getting
	 * on, as far as there are any since the start of this instance.
	 */
	Collection<Message> latest() {
		return this.latest.values();
	}

}
