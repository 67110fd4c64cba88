package io.holdfast.sample.live;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Those who look at the page. They are told on a thread of their own, one after the
 * other: whoever has something to tell does not wait for slow browsers.
 */
@Component
class Audience {

	private static final long NO_TIMEOUT = 0;

	private final Set<SseEmitter> viewers = new CopyOnWriteArraySet<>();

	private final ExecutorService thread = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS,
			new LinkedBlockingQueue<>(), new CustomizableThreadFactory("live-"),
			new ThreadPoolExecutor.DiscardPolicy());

	/**
	 * Let somebody in.
	 * @param greeting what to tell them before anything else
	 */
	SseEmitter welcome(List<Message> greeting) {
		SseEmitter viewer = new SseEmitter(NO_TIMEOUT);
		viewer.onCompletion(() -> this.viewers.remove(viewer));
		viewer.onError((ex) -> this.viewers.remove(viewer));
		this.thread.execute(() -> {
			this.viewers.add(viewer);
			greeting.forEach((message) -> tell(viewer, message));
		});
		if (this.thread.isShutdown()) {
			viewer.complete();
		}
		return viewer;
	}

	boolean isEmpty() {
		return this.viewers.isEmpty();
	}

	/**
	 * Tell everybody who looks. Nobody is told any more once the application stops.
	 */
	void tell(Message message) {
		this.thread.execute(() -> this.viewers.forEach((viewer) -> tell(viewer, message)));
	}

	private void tell(SseEmitter viewer, Message message) {
		try {
			message.sendTo(viewer);
		}
		catch (IOException | IllegalStateException ex) {
			// Has looked away; the container ends the request
			this.viewers.remove(viewer);
		}
	}

	/**
	 * Send everybody home. The web server would wait for them, because their requests
	 * never end by themselves.
	 */
	@EventListener(ContextClosedEvent.class)
	void close() {
		this.thread.execute(() -> this.viewers.forEach(SseEmitter::complete));
		this.thread.shutdown();
	}

}
