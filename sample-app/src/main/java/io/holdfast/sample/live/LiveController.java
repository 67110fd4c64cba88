package io.holdfast.sample.live;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Tells the page what goes on, as server-sent events: {@code locks}, {@code rush},
 * {@code hold} and {@code lost}.
 */
@RestController
class LiveController {

	private final Audience audience;

	private final DemoHold hold;

	LiveController(Audience audience, DemoHold hold) {
		this.audience = audience;
		this.hold = hold;
	}

	@GetMapping(path = "/api/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
	SseEmitter watch() {
		return this.audience.welcome(this.hold::message);
	}

}
