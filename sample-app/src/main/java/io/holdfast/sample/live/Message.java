package io.holdfast.sample.live;

import java.io.IOException;

import org.springframework.http.MediaType;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Something to tell those who look at the page.
 *
 * @param event name of the event that the page listens for
 * @param content what is sent with it, as JSON
 */
record Message(String event, Object content) {

	void sendTo(SseEmitter viewer) throws IOException {
		viewer.send(SseEmitter.event().name(this.event).data(this.content, MediaType.APPLICATION_JSON));
	}

}
