package io.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.NotAcquiredReason;
import org.jspecify.annotations.Nullable;

/**
 * Acquires locks without blocking the caller. Each lock is owned by its handle.
 */
final class AsyncAcquirer {

	private static final long LONGEST_SLEEP = Duration.ofSeconds(30).toNanos();

	private final Owner.Factory owners;

	private final Acquirer acquirer;

	private final StoreThreads storeThreads;

	private final AsyncThreads threads;

	private final Background background;

	AsyncAcquirer(Owner.Factory owners, Acquirer acquirer, StoreThreads storeThreads, AsyncThreads threads,
			Background background) {
		this.storeThreads = storeThreads;
		this.owners = owners;
		this.acquirer = acquirer;
		this.threads = threads;
		this.background = background;
	}

	// The future completes on a thread that may block. A caller that completes or cancels
	// it first does not get the lock
	CompletableFuture<LockHandle> acquire(LockRequest request) {
		return new AsyncCaller(request, this.acquirer.terms(request)).start();
	}

	private enum State {

		ASLEEP, WOKEN, RUNNING, ENDED

	}

	/**
	 * Runs an acquisition that no thread waits for. It uses a thread only when it can
	 * continue.
	 *
	 * <pre class="code">
	 * ASLEEP --(woken, time is up, cancelled)--&gt; WOKEN --(gets a thread)--&gt; RUNNING
	 *   ^                                                                   |   |
	 *   +------------------(finds something to wait for)--------------------+   |
	 *                                                                           |
	 *                   ENDED &lt;---------(decided, failed, cancelled)------------+
	 * </pre>
	 *
	 * Checking for a wake-up and falling asleep is one step under the monitor that
	 * {@link #wake()} takes: no wake-up is missed, and no two threads run. A sleeper
	 * always has an alarm, and is woken if its future is completed.
	 */
	private final class AsyncCaller implements Sleeper {

		private final Background.Task alarm = new Background.Task(this::alarmed);

		private final RequestContext context = RequestContext.ofCaller();

		private final CompletableFuture<LockHandle> future = AsyncAcquirer.this.threads.newFuture(this.context);

		private final Acquirer.Result result;

		private final Acquisition acquisition;

		private @Nullable Hold hold;

		private @Nullable Throwable failure;

		private State state = State.ASLEEP;

		private volatile boolean woken;

		AsyncCaller(LockRequest request, Terms terms) {
			this.result = new Acquirer.Result(request, AsyncAcquirer.this.acquirer.deadline(request));
			this.acquisition = AsyncAcquirer.this.acquirer.newAcquisition(this.result, terms,
					AsyncAcquirer.this.owners.newHandle(), this);
		}

		CompletableFuture<LockHandle> start() {
			this.future.whenComplete((handle, failure) -> cancel());
			AsyncAcquirer.this.acquirer.underWay().begin();
			boolean begun = false;
			try {
				this.acquisition.begin();
				resume();
				begun = true;
				return this.future;
			}
			finally {
				if (!begun) {
					end();
					AsyncAcquirer.this.acquirer.underWay().end();
				}
			}
		}

		private synchronized void resume() {
			if (this.state == State.ASLEEP) {
				AsyncAcquirer.this.storeThreads.execute(this.acquisition.terms().keys(), this::run);
				this.state = State.WOKEN;
			}
		}

		// A caller whose time is over does not wait for the threads that ask the store:
		// it would delay those behind it in its line
		private void alarmed() {
			resume();
			if (!hasTimeLeft()) {
				AsyncAcquirer.this.threads.onOtherThread(this::run);
			}
		}

		private synchronized boolean hasTimeLeft() {
			long left = this.acquisition.deadline().left();
			if (this.state == State.WOKEN && left > 0) {
				setAlarm(left);
			}
			return left > 0;
		}

		private void setAlarm(long nanos) {
			AsyncAcquirer.this.background.schedule(this.alarm, Math.min(nanos, LONGEST_SLEEP));
		}

		@Override
		public void wake() {
			this.woken = true;
			resume();
		}

		// Gives up a lock that is not held yet, without waiting for those threads either
		private void cancel() {
			wake();
			if (isWoken()) {
				AsyncAcquirer.this.threads.onOtherThread(this::run);
			}
		}

		private synchronized boolean isWoken() {
			return this.state == State.WOKEN;
		}

		private void run() {
			if (!change(State.WOKEN, State.RUNNING)) {
				return;
			}
			AsyncAcquirer.this.background.cancel(this.alarm);
			try {
				if (this.acquisition.context().call(this::proceed)) {
					return;
				}
				this.hold = this.future.isDone() ? null : this.acquisition.takeHold();
			}
			catch (Throwable ex) {
				this.failure = ex;
			}
			end();
			AsyncAcquirer.this.threads.callBack(this::conclude);
		}

		// Returns whether there is something to wait for
		private boolean proceed() {
			while (!this.future.isDone()) {
				this.woken = false;
				long next = this.acquisition.next();
				if (next == Line.DECIDED) {
					return false;
				}
				if (next == Line.ASK) {
					this.acquisition.line().ask(this.acquisition);
				}
				else if (sleep(next)) {
					return true;
				}
			}
			return false;
		}

		// Unless woken since the time to sleep was computed
		private synchronized boolean sleep(long nanos) {
			if (this.future.isDone() || this.woken) {
				return false;
			}
			setAlarm(nanos);
			this.state = State.ASLEEP;
			return true;
		}

		private synchronized boolean change(State from, State to) {
			if (this.state != from) {
				return false;
			}
			this.state = to;
			return true;
		}

		private void end() {
			try {
				this.acquisition.context().run(this.acquisition::end);
			}
			catch (Throwable ex) {
				this.hold = null;
				this.failure = (this.failure != null) ? this.failure : ex;
			}
		}

		// Runs listeners, so it must not be a thread that others need to acquire or
		// release locks. The caller gets an answer whatever they do
		private void conclude() {
			if (!change(State.RUNNING, State.ENDED)) {
				return;
			}
			try {
				this.result.handle(AsyncAcquirer.this.acquirer.register(this.hold, this.result.deadline()));
			}
			catch (Throwable ex) {
				this.failure = ex;
			}
			AsyncAcquirer.this.acquirer.underWay().end();
			try {
				if (this.result.handle() == null) {
					AsyncAcquirer.this.acquirer.tellNotAcquired(this.result.request(), this.result.deadline(),
							reason());
				}
			}
			finally {
				answer();
			}
		}

		// A caller that has completed its future itself does not get the lock
		private NotAcquiredReason reason() {
			return (this.failure == null && this.future.isDone()) ? NotAcquiredReason.INTERRUPTED
					: Acquirer.reason(this.failure);
		}

		// The caller's code goes on at once: in the caller's context, or not at all
		private void answer() {
			LockHandle handle = this.result.handle();
			try {
				this.context.run(() -> {
					if (handle == null) {
						this.future
							.completeExceptionally((this.failure != null) ? this.failure : this.result.failure());
					}
					else if (!this.future.complete(handle)) {
						handle.giveBack();
					}
				});
			}
			catch (Throwable ex) {
				this.future.completeExceptionally(ex);
				if (handle != null && (this.future.isCompletedExceptionally() || this.future.join() != handle)) {
					handle.giveBack();
				}
			}
		}

	}

}
