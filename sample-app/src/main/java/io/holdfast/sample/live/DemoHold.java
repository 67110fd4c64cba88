package io.holdfast.sample.live;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.holdfast.LockException;
import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.engine.HoldfastLockRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.stereotype.Component;

/**
 * A lock that this instance holds for a while, for no other reason than to be seen,
 * waited for by other instances, and released by force.
 */
@Component
class DemoHold {

	/**
	 * What is locked, in all instances.
	 */
	static final String KEY = "demo:lamp";

	private static final Logger logger = LoggerFactory.getLogger(DemoHold.class);

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final LockRequest REQUEST = LockRequest.of("lamp").name("demo").waitFor(Duration.ofMinutes(1));

	private final LockTemplate locks;

	private final HoldfastLockRegistry registry;

	private final Audience audience;

	private final AtomicReference<State> state = new AtomicReference<>(State.NONE);

	private volatile @Nullable LockHandle held;

	private final ExecutorService thread = Executors
		.newSingleThreadExecutor(new CustomizableThreadFactory("demo-hold-"));

	DemoHold(LockTemplate locks, HoldfastLockRegistry registry, Audience audience) {
		this.locks = locks;
		this.registry = registry;
		this.audience = audience;
	}

	/**
	 * Acquire the lock and hold it, on a thread made for that.
	 * @return {@code false} when this instance is at it already
	 */
	boolean begin(Duration duration) {
		if (!this.state.compareAndSet(State.NONE, State.WAITING)) {
			return false;
		}
		this.audience.tell(message());
		this.thread.execute(() -> acquireAndHold(duration));
		return true;
	}

	private void acquireAndHold(Duration duration) {
		try (LockHandle lock = this.locks.acquire(REQUEST)) {
			this.held = lock;
			change(State.HELD);
			hold(lock, duration);
		}
		catch (LockException ex) {
			logger.warn("The demo lock is not held: {}", ex.getMessage());
		}
		finally {
			this.held = null;
			change(State.NONE);
		}
	}

	/**
	 * Hold the lock until the time is over, it is lost, or the application stops.
	 */
	private static void hold(LockHandle lock, Duration duration) {
		CountDownLatch lost = new CountDownLatch(1);
		lock.onLost((handle) -> lost.countDown());
		try {
			if (lost.await(duration.toMillis(), TimeUnit.MILLISECONDS)) {
				logger.info("The demo lock is lost");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void change(State changed) {
		this.state.set(changed);
		this.audience.tell(message());
	}

	/**
	 * Release the lock by force, as an operator would who has seen this hold, and means
	 * no other.
	 * @return {@code false} when this instance does not hold it
	 */
	boolean forceRelease() {
		LockHandle lock = this.held;
		return lock != null && this.registry.operations().forceRelease(KEY, lock.fencingToken(), PATIENCE).isReleased();
	}

	/**
	 * Return how things stand, for the page.
	 */
	Message message() {
		return new Message("hold", new Status(KEY, this.state.get()));
	}

	/**
	 * Give the lock back before the application waits for that.
	 */
	@EventListener(ContextClosedEvent.class)
	void close() {
		this.thread.shutdownNow();
	}

	/**
	 * How things stand.
	 *
	 * @param key what is locked
	 * @param state whether by this instance
	 */
	record Status(String key, State state) {
	}

	/**
	 * What this instance does about the lock.
	 */
	enum State {

		NONE, WAITING, HELD

	}

}
