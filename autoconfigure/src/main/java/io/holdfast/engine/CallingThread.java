package io.holdfast.engine;

import io.holdfast.LockUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * A thread that asks for a lock, and is parked while it waits.
 */
final class CallingThread implements Sleeper {

	private final Thread thread = Thread.currentThread();

	private final EngineRuntime runtime;

	private final Patience patience;

	private final boolean interruptible;

	private boolean interrupted;

	private CallingThread(EngineRuntime runtime, Patience patience, boolean interruptible) {
		this.runtime = runtime;
		this.patience = patience;
		this.interruptible = interruptible;
	}

	/**
	 * Let the current thread wait until its patience is over or it is interrupted.
	 */
	static CallingThread interruptible(EngineRuntime runtime, Patience patience) {
		return new CallingThread(runtime, patience, true);
	}

	/**
	 * Let the current thread wait until its patience is over. An interrupt meanwhile is
	 * kept for {@link #restoreInterrupt()}.
	 */
	static CallingThread uninterruptible(EngineRuntime runtime, Patience patience) {
		return new CallingThread(runtime, patience, false);
	}

	Patience patience() {
		return this.patience;
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
			if (!this.patience.isOneTry()) {
				noticeInterrupt();
			}
			Pause pause = acquisition.proceed();
			while (pause != null) {
				sleep(pause);
				pause = acquisition.proceed();
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
			acquisition.end(hold);
		}
	}

	void sleep(Pause pause) throws InterruptedException {
		while (!pause.isOver()) {
			this.runtime.park(this, pause.left());
			noticeInterrupt();
		}
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
		if (this.thread != Thread.currentThread()) {
			this.runtime.unpark(this.thread);
		}
	}

}
