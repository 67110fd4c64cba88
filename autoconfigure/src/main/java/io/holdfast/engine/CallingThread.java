package io.holdfast.engine;

import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * A thread that asks for a lock, and is parked while it waits.
 */
final class CallingThread implements Sleeper {

	private final Thread thread = Thread.currentThread();

	private final Patience patience;

	private final boolean interruptible;

	private boolean interrupted;

	private CallingThread(Patience patience, boolean interruptible) {
		this.patience = patience;
		this.interruptible = interruptible;
	}

	/**
	 * Let the current thread wait until its patience is over or it is interrupted.
	 */
	static CallingThread interruptible(Patience patience) {
		return new CallingThread(patience, true);
	}

	/**
	 * Let the current thread wait until its patience is over. An interrupt meanwhile is
	 * kept for {@link #restoreInterrupt()}.
	 */
	static CallingThread uninterruptible(Patience patience) {
		return new CallingThread(patience, false);
	}

	Patience patience() {
		return this.patience;
	}

	/**
	 * See an acquisition through.
	 * @return the hold, or {@code null} when the lock was not acquired in time
	 * @throws InterruptedException when interrupted, if this is interruptible
	 */
	@Nullable Hold await(Acquisition acquisition) throws InterruptedException {
		try {
			if (!this.patience.isOneTry()) {
				noticeInterrupt();
			}
			Pause pause = acquisition.proceed();
			while (pause != null) {
				sleep(pause);
				pause = acquisition.proceed();
			}
			return acquisition.hold();
		}
		finally {
			acquisition.end();
		}
	}

	void sleep(Pause pause) throws InterruptedException {
		while (!pause.isOver()) {
			long left = pause.left();
			if (left == Pause.NO_END) {
				LockSupport.park(this);
			}
			else {
				LockSupport.parkNanos(this, left);
			}
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
			LockSupport.unpark(this.thread);
		}
	}

}
