package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.holdfast.LockListener;
import io.holdfast.LockLostException;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.NotAcquiredReason;
import io.holdfast.ReleaseResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.BeanCurrentlyInCreationException;
import org.springframework.util.function.SingletonSupplier;

/**
 * All listeners. What they throw is logged once and then counted. Losses, and releases in
 * the background, are reported on threads of each listener's own: a slow one delays
 * neither renewals nor other listeners. One that does not keep up misses events.
 */
final class Listeners {

	private static final Logger logger = LoggerFactory.getLogger(Listeners.class);

	// How many slow calls of a listener may run at once
	static final int MOST_THREADS = 64;

	// How many calls of a listener may run or wait before further ones are dropped
	static final int MOST_CALLS = 10_000;

	private final SingletonSupplier<List<Told>> listeners;

	private final EngineListener events;

	private final Telling ofEvents;

	private final Telling ofHolds;

	private final Tally underWay;

	Listeners(Supplier<List<LockListener>> listeners, EngineListener events, Background background) {
		this.events = events;
		this.underWay = new Tally(background.runtime());
		this.ofEvents = telling(background);
		this.ofHolds = telling(background);
		this.listeners = SingletonSupplier
			.of(() -> listeners.get().stream().map((listener) -> new Told(listener, telling(background))).toList());
	}

	void acquired(Hold hold, Deadline deadline) {
		if (!isEmpty()) {
			LockSnapshot lock = hold.snapshot();
			Duration waited = deadline.waited();
			tell((listener) -> listener.onAcquired(lock, waited));
		}
	}

	void notAcquired(LockRequest request, Duration waited, NotAcquiredReason reason) {
		guarded(() -> tell((listener) -> listener.onNotAcquired(request, waited, reason)), this.ofHolds.failures());
	}

	void released(LockSnapshot lock, Duration held, ReleaseResult result, boolean aside) {
		Consumer<LockListener> event = (listener) -> listener.onReleased(lock, held, result);
		if (aside) {
			tellAside(event);
		}
		else {
			tell(event);
		}
	}

	boolean isEmpty() {
		return all().isEmpty();
	}

	// None yet while one is being created: what a listener needs may use locks in its
	// constructor
	private List<Told> all() {
		try {
			return this.listeners.obtain();
		}
		catch (BeanCreationException ex) {
			if (!ex.contains(BeanCurrentlyInCreationException.class)) {
				throw ex;
			}
			logger.debug("Lock listeners are not told of an event, as they are still being created: {}",
					ex.getMessage());
			return List.of();
		}
	}

	void lost(LockSnapshot lock, LockLostException loss, List<Runnable> ofTheHold) {
		ofTheHold.forEach((action) -> guarded(action, this.ofHolds.failures()));
		tellAside(() -> this.events.lost(lock, loss), this.ofEvents);
		tellAside((listener) -> listener.onLost(lock, loss));
	}

	void tellAside(Runnable call) {
		tellAside(call, this.ofHolds);
	}

	private void tellAside(Consumer<LockListener> event) {
		all().forEach((told) -> tellAside(() -> event.accept(told.listener()), told.aside()));
	}

	private void tellAside(Runnable call, Telling telling) {
		if (!telling.begin()) {
			return;
		}
		this.underWay.begin();
		boolean accepted = false;
		try {
			telling.executor().execute(() -> {
				try {
					guarded(call, telling.failures());
				}
				finally {
					told(telling);
				}
			});
			accepted = true;
		}
		finally {
			if (!accepted) {
				told(telling);
			}
		}
	}

	private void told(Telling telling) {
		telling.calls().decrementAndGet();
		this.underWay.end();
	}

	void awaitTold(Duration atMost) {
		this.underWay.awaitNone(atMost);
	}

	private void tell(Consumer<LockListener> event) {
		all().forEach((told) -> guarded(() -> event.accept(told.listener()), told.aside().failures()));
	}

	private static void guarded(Runnable call, FailureDigest failures) {
		try {
			call.run();
		}
		catch (Throwable ex) {
			failures.note(ex);
		}
	}

	private static Telling telling(Background background) {
		return new Telling(background.newExecutor("holdfast-callback", MOST_THREADS),
				new FailureDigest(logger, Level.WARN, "A lock listener threw an exception",
						"A lock listener threw {} more exceptions, the last: {}", System::nanoTime),
				new AtomicInteger(), new AtomicBoolean());
	}

	private record Told(LockListener listener, Telling aside) {
	}

	/**
	 * Threads that call a listener, what it throws, and how many calls are not over.
	 */
	private record Telling(Executor executor, FailureDigest failures, AtomicInteger calls, AtomicBoolean late) {

		boolean begin() {
			if (this.calls.incrementAndGet() <= MOST_CALLS) {
				return true;
			}
			this.calls.decrementAndGet();
			if (this.late.compareAndSet(false, true)) {
				logger.warn("A lock listener does not return: further events are not reported to it while {} wait",
						MOST_CALLS);
			}
			return false;
		}

	}

}
