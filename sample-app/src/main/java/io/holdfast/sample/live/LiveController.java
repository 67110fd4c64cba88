package io.holdfast.sample.live;

import java.util.ArrayList;
import java.util.List;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Tells the page what goes on, as server-sent events: {@code locks}, {@code rush},
 * {@code result}, {@code hold} and {@code lost}.
 */
@RestController
class LiveController {

	private final Audience audience;

	private final DemoHold hold;

	private final RushReporter rushes;

	LiveController(Audience audience, DemoHold hold, RushReporter rushes) {
		this.audience = audience;
		this.hold = hold;
		this.rushes = rushes;
	}

	@GetMapping(path = "/api/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
	SseEmitter watch() {
		return this.audience.welcome(this::greeting);
	}

	private List<Message> greeting() {
		List<Message> greeting = new ArrayList<>(this.rushes.latest());
		greeting.add(this.hold.message());
		return greeting;
	}

}
