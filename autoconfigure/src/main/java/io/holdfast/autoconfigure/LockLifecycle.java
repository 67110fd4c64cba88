package io.holdfast.autoconfigure;

import java.time.Duration;

import io.holdfast.engine.HoldfastLockRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Ends the use of locks in good order: after those who use them have been told to stop,
 * and before Redis connections are closed.
 */
class LockLifecycle implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

	// Phases stop from high to low. Web servers, message listeners and task executors
	// stop within the last few thousand, polling endpoints of Spring Integration at half
	// of the greatest, connection factories at zero
	static final int PHASE = Integer.MAX_VALUE / 4;

	private static final Logger logger = LoggerFactory.getLogger(LockLifecycle.class);

	private final ApplicationContext context;

	private final HoldfastLockRegistry registry;

	private final Duration grace;

	private volatile boolean running;

	LockLifecycle(ApplicationContext context, HoldfastLockRegistry registry, Duration grace) {
		this.context = context;
		this.registry = registry;
		this.grace = grace;
	}

	// What stops before locks do, such as a web server, waits for work that may in turn
	// wait for a lock: from now on, not for long. Child contexts publish the end of
	// theirs here as well
	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		if (event.getApplicationContext() == this.context) {
			this.registry.limitWaits(this.grace);
		}
	}

	@Override
	public void start() {
		this.registry.start();
		logger.info("This instance holds locks under the id {}", this.registry.operations().instanceId());
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		this.registry.stop(this.grace);
	}

	// What a pause does not stop, such as a scheduler that is no bean, still needs locks
	@Override
	public boolean isPauseable() {
		return false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
