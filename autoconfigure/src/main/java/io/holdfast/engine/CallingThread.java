package io.holdfast.engine;

import io.holdfast.LockUnavailableException;
import io.holdfast.engine.runtime.EngineRuntime;
import org.jspecify.annotations.Nullable;

/**
 * A thread that asks for a lock, and is parked while it waits.
 */
final class CallingThread implements Acquisition.Sleeper {

	private final Thread thread = Thread.currentThread();

	private final EngineRuntime runtime;

	private final Deadline deadline;

	private final boolean interruptible;

	private boolean interrupted;

	private volatile boolean woken;

	private CallingThread(EngineRuntime runtime, Deadline deadline, boolean interruptible) {
		this.runtime = runtime;
		this.deadline = deadline;
		this.interruptible = interruptible;
	}

	/**
	 * Let the current thread wait until its deadline or it is interrupted.
	 */
	static CallingThread interruptible(EngineRuntime runtime, Deadline deadline) {
		return new CallingThread(runtime, deadline, true);
	}

	/**
	 * Let the current thread wait until its deadline. An interrupt meanwhile is kept for
	 * {@link #restoreInterrupt()}.
	 */
	static CallingThread uninterruptible(EngineRuntime runtime, Deadline deadline) {
		return new CallingThread(runtime, deadline, false);
	}

	Deadline deadline() {
		return this.deadline;
	}

	/**
	 * See an acquisition through.
	 * @return the hold, or {@code null} when the lock was not acquired in time
	 * @throws InterruptedException when interrupted, if this is interruptible
	 * @throws LockUnavailableException when the store cannot be asked
	 */
	@Nullable Hold await(Acquisition acquisition) throws InterruptedException {
		boolean interruptedBefore = this.thread.isInterrupted();
		Hold hold = null;
		try {
			if (!this.deadline.isOneAttempt()) {
				noticeInterrupt();
			}
			long nanos = acquisition.proceed();
			while (nanos != Line.DECIDED) {
				sleep(nanos);
				nanos = acquisition.proceed();
			}
			hold = acquisition.takeHold();
			return hold;
		}
		catch (LockUnavailableException ex) {
			if (!interruptedBefore) {
				noticeInterrupt();
			}
			throw ex;
		}
		finally {
			acquisition.end();
		}
	}

	/**
	 * Sleep, unless woken since the last time.
	 */
	void sleep(long nanos) throws InterruptedException {
		if (!this.woken) {
			this.runtime.park(this, nanos);
		}
		this.woken = false;
		noticeInterrupt();
	}

	private void noticeInterrupt() throws InterruptedException {
		if (!Thread.interrupted()) {
			return;
		}
		if (this.interruptible) {
			throw new InterruptedException();
		}
		this.interrupted = true;
	}

	void restoreInterrupt() {
		if (this.interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void wake() {
		this.woken = true;
		if (this.thread != Thread.currentThread()) {
			this.runtime.unpark(this.thread);
		}
	}

}
