package io.holdfast.test;

import org.springframework.context.SmartLifecycle;

/**
 * Runs from its start to its stop.
 */
public abstract class Running implements SmartLifecycle {

	private volatile boolean running;

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

}
