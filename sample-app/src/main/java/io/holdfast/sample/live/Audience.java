package io.holdfast.sample.live;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.http.HttpStatus;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Those who look at the page. Each is told on a thread of its own: whoever has something
 * to tell waits for no browser, and no browser for another. Whoever does not keep up is
 * sent away, and comes back for what is new by itself.
 */
@Component
class Audience {

	private static final int SEATS = 64;

	private final Set<Viewer> viewers = new LinkedHashSet<>();

	private final ExecutorService threads = new ThreadPoolExecutor(0, SEATS, 0, TimeUnit.SECONDS,
			new SynchronousQueue<>(), new CustomizableThreadFactory("live-"));

	/**
	 * Let somebody in.
	 * @param greeting what to tell them before anything else
	 * @throws ResponseStatusException when there is no room, or the application stops
	 */
	synchronized SseEmitter welcome(Supplier<List<Message>> greeting) {
		Viewer viewer = new Viewer(this);
		greeting.get().forEach(viewer::tell);
		seat(viewer);
		this.viewers.add(viewer);
		return viewer.emitter();
	}

	private void seat(Viewer viewer) {
		try {
			this.threads.execute(viewer);
		}
		catch (RejectedExecutionException ex) {
			throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE, "There is no room for another viewer",
					ex);
		}
	}

	synchronized boolean isEmpty() {
		return this.viewers.isEmpty();
	}

	/**
	 * Tell everybody who looks. Nobody is told any more once the application stops.
	 */
	synchronized void tell(Message message) {
		List<Viewer> slow = this.viewers.stream().filter((viewer) -> !viewer.tell(message)).toList();
		slow.forEach(Viewer::dismiss);
		slow.forEach(this.viewers::remove);
	}

	/**
	 * Let somebody go who looks no longer.
	 */
	synchronized void leave(Viewer viewer) {
		if (this.viewers.remove(viewer)) {
			viewer.dismiss();
		}
	}

	/**
	 * Send everybody home. The web server would wait for them, because their requests
	 * never end by themselves.
	 */
	@EventListener(ContextClosedEvent.class)
	synchronized void close() {
		this.viewers.forEach(Viewer::dismiss);
		this.viewers.clear();
		this.threads.shutdown();
	}

}
