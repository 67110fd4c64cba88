package io.holdfast.autoconfigure;

import java.time.Duration;

import io.holdfast.engine.HoldfastLockRegistry;

import org.springframework.context.SmartLifecycle;

/**
 * Ends the use of locks in good order: after those who use them have been told to stop,
 * and before Redis connections are closed.
 */
class LockLifecycle implements SmartLifecycle {

	/**
	 * Phases stop from high to low. Web servers, message listeners and task executors
	 * stop within the last few thousand, polling endpoints of Spring Integration at half
	 * of the greatest, connection factories at zero.
	 */
	static final int PHASE = Integer.MAX_VALUE / 4;

	/**
	 * Of what stops after the locks have been released, so that whoever is the last to
	 * hold one is known, and before Redis connections are closed.
	 */
	static final int AFTER_PHASE = PHASE - 1;

	private final HoldfastLockRegistry registry;

	private final Duration grace;

	private volatile boolean running;

	LockLifecycle(HoldfastLockRegistry registry, Duration grace) {
		this.registry = registry;
		this.grace = grace;
	}

	@Override
	public void start() {
		this.registry.start();
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		this.registry.stop(this.grace);
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
