package io.holdfast.engine;

import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Sees an acquisition through that no thread waits for: one is borrowed whenever it can
 * go on.
 *
 * <pre class="code">
 *    +--------(woken, time is up, cancelled)-------+
 *    v                                             |
 * RUNNING --(finds something to wait for)--&gt; ASLEEP
 *    |
 *    +--(decided, failed, cancelled)--&gt; the end
 * </pre>
 *
 * To look whether a pause is over and to fall asleep is one step under the monitor, which
 * {@link #wake()} takes as well: what comes before is seen, what comes after finds a
 * sleeper. So no wake-up is missed, and no two threads run.
 */
final class AsyncCaller implements Sleeper {

	private final AsyncThreads threads;

	private final Acquisition acquisition;

	private final BiConsumer<Acquisition, @Nullable Throwable> atTheEnd;

	private boolean asleep = true;

	private boolean cancelled;

	private @Nullable Future<?> alarm;

	/**
	 * Create a caller that begins when it is first woken.
	 * @param acquisition makes the acquisition
	 * @param atTheEnd gets the acquisition when it is decided, and why it failed if it
	 * did; called once, on a thread that may talk to the store
	 */
	AsyncCaller(AsyncThreads threads, Function<Sleeper, Acquisition> acquisition,
			BiConsumer<Acquisition, @Nullable Throwable> atTheEnd) {
		this.threads = threads;
		this.acquisition = acquisition.apply(this);
		this.atTheEnd = atTheEnd;
	}

	@Override
	public synchronized void wake() {
		if (!this.asleep) {
			return;
		}
		this.asleep = false;
		if (this.alarm != null) {
			this.alarm.cancel(false);
		}
		this.threads.execute(this.acquisition.claimant().keys(), this::run);
	}

	/**
	 * Do without the lock, if it is not held yet.
	 */
	synchronized void cancel() {
		this.cancelled = true;
		wake();
	}

	private synchronized boolean isCancelled() {
		return this.cancelled;
	}

	private void run() {
		Throwable failure = null;
		try {
			if (goOn()) {
				return;
			}
			this.acquisition.end();
		}
		catch (RuntimeException | Error ex) {
			failure = ex;
			endAfter(ex);
		}
		this.atTheEnd.accept(this.acquisition, failure);
	}

	/**
	 * Go on until there is something to wait for.
	 * @return whether there is; if not, this is the end
	 */
	private boolean goOn() {
		while (!isCancelled()) {
			Pause pause = this.acquisition.proceed();
			if (pause == null) {
				return false;
			}
			if (sleep(pause)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Fall asleep, unless there is nothing to wait for any more.
	 */
	private synchronized boolean sleep(Pause pause) {
		if (this.cancelled || pause.isOver()) {
			return false;
		}
		long left = pause.left();
		this.alarm = (left != Pause.NO_END) ? this.threads.schedule(this::wake, left) : null;
		this.asleep = true;
		return true;
	}

	private void endAfter(Throwable failure) {
		try {
			this.acquisition.end();
		}
		catch (RuntimeException | Error ex) {
			failure.addSuppressed(ex);
		}
	}

}
