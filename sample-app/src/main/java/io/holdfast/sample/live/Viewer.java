package io.holdfast.sample.live;

import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * One who looks at the page. What there is to tell is kept for a thread of the viewer's
 * own, so that a slow browser holds up nobody else.
 */
final class Viewer implements Runnable {

	/**
	 * How much may be untold: what comes in some ten seconds.
	 */
	private static final int BACKLOG = 64;

	private static final long NO_TIMEOUT = 0;

	private static final Message END = new Message("end", "");

	private final BlockingQueue<Message> untold = new LinkedBlockingQueue<>(BACKLOG);

	private final SseEmitter emitter = new SseEmitter(NO_TIMEOUT);

	private final Audience audience;

	Viewer(Audience audience) {
		this.audience = audience;
		this.emitter.onCompletion(() -> audience.leave(this));
		this.emitter.onError((ex) -> audience.leave(this));
	}

	SseEmitter emitter() {
		return this.emitter;
	}

	/**
	 * Keep a message for the viewer.
	 * @return {@code false} when too much is untold
	 */
	boolean tell(Message message) {
		return this.untold.offer(message);
	}

	/**
	 * Tell nothing more of what is kept, and end the request.
	 */
	void dismiss() {
		this.untold.clear();
		this.untold.add(END);
	}

	@Override
	public void run() {
		try {
			for (Message message = this.untold.take(); message != END; message = this.untold.take()) {
				message.sendTo(this.emitter);
			}
			this.emitter.complete();
		}
		catch (IOException | IllegalStateException ex) {
			// Has looked away; the container ends the request
			this.audience.leave(this);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			this.emitter.complete();
		}
	}

}
