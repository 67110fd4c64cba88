package io.holdfast.docs;

import io.holdfast.DistributedLock;

import org.springframework.context.SmartLifecycle;

/**
 * Locks while it stops.
 */
class Export implements SmartLifecycle {

	private boolean running;

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
	}

	// snippet: lock-while-stopping
	@Override
	@DistributedLock(name = "export")
	public void stop(Runnable callback) {
		SmartLifecycle.super.stop(callback); // calls stop()
	}
	// end

	@Override
	public boolean isRunning() {
		return this.running;
	}

}
