package io.holdfast.engine;

import io.holdfast.LockRequest;
import io.holdfast.LogText;
import reactor.core.scheduler.Schedulers;

import org.springframework.util.ClassUtils;

/**
 * A thread that asks for a lock, and is parked while it waits.
 */
final class CallingThread implements Sleeper {

	private final Thread thread = Thread.currentThread();

	private final EngineRuntime runtime;

	private final Deadline deadline;

	private final boolean interruptible;

	private boolean interrupted;

	private volatile boolean woken;

	private volatile boolean early;

	private volatile boolean parked;

	private CallingThread(EngineRuntime runtime, Deadline deadline, boolean interruptible) {
		this.runtime = runtime;
		this.deadline = deadline;
		this.interruptible = interruptible;
	}

	static CallingThread interruptible(EngineRuntime runtime, Deadline deadline) {
		return new CallingThread(runtime, deadline, true);
	}

	// Keeps an interrupt meanwhile for restoreInterrupt()
	static CallingThread uninterruptible(EngineRuntime runtime, Deadline deadline) {
		return new CallingThread(runtime, deadline, false);
	}

	// An event loop runs the code of many callers: all would be one owner, and all would
	// stand still with the one that waits
	static void ensureMayBlock(LockRequest request) {
		if (Reactor.PRESENT && Reactor.mustNotBlock()) {
			throw new IllegalStateException(("Lock '%s' cannot be acquired by thread '%s', which must not block: use "
					+ "ReactiveLockTemplate, LockTemplate.executeAsync or acquireAsync, or an annotated method that "
					+ "returns a publisher or a CompletableFuture")
				.formatted(LogText.of(LogText.keys(request.lockKeys())), LogText.of(Thread.currentThread().getName())));
		}
	}

	Deadline deadline() {
		return this.deadline;
	}

	void sleep(long nanos) throws InterruptedException {
		this.parked = true;
		if (!this.woken && !this.early) {
			this.runtime.park(this, nanos);
		}
		this.parked = false;
		if (this.early) {
			this.early = false;
			stayAwake();
		}
		this.woken = false;
		noticeInterrupt();
	}

	private void stayAwake() {
		long until = this.runtime.nanos() + MOMENT;
		while (!this.woken && this.runtime.nanos() - until < 0) {
			this.runtime.yield();
		}
	}

	void noticeInterrupt() throws InterruptedException {
		if (this.interruptible && Thread.interrupted()) {
			throw new InterruptedException();
		}
		putOffInterrupt();
	}

	@Override
	public boolean putOffInterrupt() {
		boolean putOff = !this.interruptible && Thread.interrupted();
		this.interrupted |= putOff;
		return putOff;
	}

	void restoreInterrupt() {
		if (this.interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void wake() {
		this.woken = true;
		unpark();
	}

	@Override
	public void wakeEarly() {
		this.early = true;
		unpark();
	}

	private void unpark() {
		if (this.parked) {
			this.runtime.unpark(this.thread);
		}
	}

	/**
	 * Classes of the library are named here only.
	 */
	private static final class Reactor {

		private static final boolean PRESENT = ClassUtils.isPresent("reactor.core.publisher.Flux",
				CallingThread.class.getClassLoader());

		private static boolean mustNotBlock() {
			return Schedulers.isInNonBlockingThread();
		}

	}

}
