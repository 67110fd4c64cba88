package io.holdfast.sample.live;

import java.util.List;

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

	private final LockTable table;

	private final DemoHold hold;

	LiveController(Audience audience, LockTable table, DemoHold hold) {
		this.audience = audience;
		this.table = table;
		this.hold = hold;
	}

	@GetMapping(path = "/api/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
	SseEmitter watch() {
		return this.audience.welcome(List.of(this.hold.message(), this.table.message()));
	}

}
