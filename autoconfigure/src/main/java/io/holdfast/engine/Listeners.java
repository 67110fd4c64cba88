package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
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

	private final SingletonSupplier<List<Registered>> listeners;

	private final FailureDigest failures = new FailureDigest(logger, Level.WARN,
			"A listener to the lock engine threw an exception",
			"Listeners to the lock engine threw {} more exceptions, the last: {}");

	private final List<EngineListener> engineListeners;

	private final Calls eventCalls;

	private final Calls holdCalls;

	private final Background background;

	private final Queue<Calls> calls = new ConcurrentLinkedQueue<>();

	Listeners(Supplier<List<LockListener>> listeners, EngineListener[] engineListeners, Background background) {
		this.engineListeners = List.of(engineListeners);
		this.background = background;
		this.eventCalls = newCalls();
		this.holdCalls = newCalls();
		this.listeners = SingletonSupplier
			.of(() -> listeners.get().stream().map((listener) -> new Registered(listener, newCalls())).toList());
	}

	private Calls newCalls() {
		Calls calls = new Calls(this.background);
		this.calls.add(calls);
		return calls;
	}

	// Event and subject are separate, so that no object is made for each lock
	<T> void tell(BiConsumer<EngineListener, T> event, T subject) {
		for (EngineListener listener : this.engineListeners) {
			try {
				event.accept(listener, subject);
			}
			catch (Throwable ex) {
				this.failures.note(ex);
			}
		}
	}

	void acquired(Hold hold, Deadline deadline) {
		if (!isEmpty()) {
			LockSnapshot lock = hold.snapshot();
			Duration waited = deadline.waited();
			tell((listener) -> listener.onAcquired(lock, waited));
		}
	}

	void notAcquired(LockRequest request, Duration waited, NotAcquiredReason reason) {
		this.holdCalls.now(() -> tell((listener) -> listener.onNotAcquired(request, waited, reason)));
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
	private List<Registered> all() {
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
		ofTheHold.forEach(this.holdCalls::now);
		this.eventCalls.aside(() -> tell((listener, lost) -> listener.lost(lost, loss), lock));
		tellAside((listener) -> listener.onLost(lock, loss));
	}

	void tellAside(Runnable call) {
		this.holdCalls.aside(call);
	}

	private void tellAside(Consumer<LockListener> event) {
		all().forEach((registered) -> registered.calls().aside(() -> event.accept(registered.listener())));
	}

	private void tell(Consumer<LockListener> event) {
		all().forEach((registered) -> registered.calls().now(() -> event.accept(registered.listener())));
	}

	void awaitTold(Duration atMost) {
		long end = this.background.runtime().nanos() + atMost.toNanos();
		this.calls
			.forEach((calls) -> calls.underWay.awaitNone(Duration.ofNanos(end - this.background.runtime().nanos())));
	}

	private record Registered(LockListener listener, Calls calls) {
	}

	private static final class Calls {

		private final FailureDigest failures = new FailureDigest(logger, Level.WARN,
				"A lock listener threw an exception", "A lock listener threw {} more exceptions, the last: {}");

		private final AtomicBoolean late = new AtomicBoolean();

		private final Executor executor;

		private final Tally underWay;

		private Calls(Background background) {
			this.executor = background.newExecutor("holdfast-callback", MOST_THREADS);
			this.underWay = new Tally(background.runtime());
		}

		void now(Runnable call) {
			try {
				call.run();
			}
			catch (Throwable ex) {
				this.failures.note(ex);
			}
		}

		void aside(Runnable call) {
			if (this.underWay.count() < MOST_CALLS) {
				this.underWay.execute(this.executor, () -> now(call));
			}
			else if (this.late.compareAndSet(false, true)) {
				logger.warn("A lock listener does not return: further events are not reported to it while {} wait",
						MOST_CALLS);
			}
		}

	}

}
