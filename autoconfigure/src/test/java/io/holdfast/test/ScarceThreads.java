package io.holdfast.test;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads the first of which cannot be started.
 */
public final class ScarceThreads implements ThreadFactory {

	private final AtomicInteger missing;

	public ScarceThreads(int missing) {
		this.missing = new AtomicInteger(missing);
	}

	@Override
	public Thread newThread(Runnable task) {
		if (this.missing.getAndDecrement() > 0) {
			throw new OutOfMemoryError("unable to create native thread, for a test");
		}
		return new Thread(task, "scarce-thread");
	}

}
