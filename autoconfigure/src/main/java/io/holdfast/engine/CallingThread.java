package io.holdfast.engine;

import io.holdfast.LockInterruptedException;
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

	private final LockRequest request;

	private final Deadline deadline;

	private final boolean interruptible;

	private boolean interrupted;

	private volatile boolean woken;

	private volatile boolean parked;

	private CallingThread(EngineRuntime runtime, LockRequest request, Deadline deadline, boolean interruptible) {
		this.runtime = runtime;
		this.request = request;
		this.deadline = deadline;
		this.interruptible = interruptible;
	}

	static CallingThread interruptible(EngineRuntime runtime, LockRequest request, Deadline deadline) {
		return new CallingThread(runtime, request, deadline, true);
	}

	static CallingThread uninterruptible(EngineRuntime runtime, LockRequest request, Deadline deadline) {
		return new CallingThread(runtime, request, deadline, false);
	}

	// An event loop runs the code of many callers: all would be one owner, and all would
	// stand still with the one that waits
	void ensureMayBlock() {
		if (Reactor.PRESENT && Reactor.mustNotBlock()) {
			throw new IllegalStateException(("Lock '%s' cannot be acquired by thread '%s', which must not block: use "
					+ "ReactiveLockTemplate, LockTemplate.executeAsync or acquireAsync, or an annotated method that "
					+ "returns a publisher or a CompletableFuture")
				.formatted(LogText.of(text()), LogText.of(Thread.currentThread().getName())));
		}
	}

	LockRequest request() {
		return this.request;
	}

	Deadline deadline() {
		return this.deadline;
	}

	private String text() {
		return LogText.keys(this.request.lockKeys());
	}

	void sleep(long nanos) {
		this.parked = true;
		if (!this.woken) {
			this.runtime.park(this, nanos);
		}
		this.parked = false;
		this.woken = false;
		checkInterrupt();
	}

	// An interrupt is kept for restoreInterrupt(), so that what is left to do is done
	void checkInterrupt() {
		this.interrupted |= Thread.interrupted();
		if (this.interrupted && this.interruptible) {
			throw new LockInterruptedException(text(), new InterruptedException());
		}
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
		if (this.parked) {
			this.runtime.unpark(this.thread);
		}
	}

	// The only class that refers to the library
	private static final class Reactor {

		private static final boolean PRESENT = ClassUtils.isPresent("reactor.core.publisher.Flux",
				CallingThread.class.getClassLoader());

		private static boolean mustNotBlock() {
			return Schedulers.isInNonBlockingThread();
		}

	}

}
