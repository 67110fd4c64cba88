package io.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.NotAcquiredReason;
import org.jspecify.annotations.Nullable;

/**
 * Acquires locks without blocking the caller. Each lock is owned by its handle.
 */
final class AsyncAcquirer {

	private final Owner.Factory owners;

	private final Acquirer acquirer;

	private final AsyncThreads threads;

	private final Background background;

	AsyncAcquirer(Owner.Factory owners, Acquirer acquirer, AsyncThreads threads, Background background) {
		this.owners = owners;
		this.acquirer = acquirer;
		this.threads = threads;
		this.background = background;
	}

	// Completes on a thread that may block. A caller that completes it otherwise, be it
	// by cancelling, does without the lock
	CompletableFuture<LockHandle> acquire(LockRequest request) {
		Terms terms = this.acquirer.terms(request);
		Owner owner = this.owners.newHandle();
		RequestContext context = RequestContext.ofCaller();
		CompletableFuture<LockHandle> future = this.threads.newFuture(context);
		Acquirer.Result result = new Acquirer.Result(request, this.acquirer.deadline(request));
		AsyncCaller caller = new AsyncCaller(this.threads, this.background,
				(sleeper) -> this.acquirer.newAcquisition(result, terms, owner, sleeper),
				(ended) -> conclude(result, ended, context, future));
		future.whenComplete((handle, failure) -> caller.cancel());
		this.acquirer.underWay().begin();
		boolean begun = false;
		try {
			caller.acquisition.ask();
			caller.begin();
			begun = true;
			return future;
		}
		finally {
			if (!begun) {
				caller.end();
				this.acquirer.underWay().end();
			}
		}
	}

	// Runs listeners, so it must not be a thread that others need to acquire or release
	// locks. The caller gets an answer whatever they do
	private void conclude(Acquirer.Result result, AsyncCaller caller, RequestContext context,
			CompletableFuture<LockHandle> future) {
		Throwable failure = caller.failure;
		try {
			result.handle(this.acquirer.keep(caller.hold, result.deadline()));
		}
		catch (Throwable ex) {
			failure = ex;
		}
		this.acquirer.underWay().end();
		try {
			if (result.handle() == null) {
				this.acquirer.notAcquired(result.request(), result.deadline(), reason(failure, future));
			}
		}
		finally {
			answer(result, failure, context, future);
		}
	}

	// A caller that has completed its future itself does not get the lock
	private static NotAcquiredReason reason(@Nullable Throwable failure, CompletableFuture<LockHandle> future) {
		return (failure == null && future.isDone()) ? NotAcquiredReason.INTERRUPTED : Acquirer.reason(failure);
	}

	// The caller's code goes on at once: in the caller's context, or not at all
	private static void answer(Acquirer.Result result, @Nullable Throwable failure, RequestContext context,
			CompletableFuture<LockHandle> future) {
		try {
			context.run(() -> answer(result, failure, future));
		}
		catch (Throwable ex) {
			LockHandle handle = result.handle();
			if (future.completeExceptionally(ex) && handle != null) {
				handle.giveBack();
			}
		}
	}

	private static void answer(Acquirer.Result result, @Nullable Throwable failure,
			CompletableFuture<LockHandle> future) {
		if (failure != null && result.handle() == null) {
			future.completeExceptionally(failure);
			return;
		}
		try {
			LockHandle handle = result.orThrow();
			if (!future.complete(handle)) {
				handle.giveBack();
			}
		}
		catch (Throwable ex) {
			future.completeExceptionally(ex);
		}
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
	 * To look whether it was woken and to fall asleep is one step under the monitor,
	 * which {@link #wake()} takes as well: what comes before is seen, what comes after
	 * finds a sleeper. So no wake-up is missed, and no two threads run.
	 *
	 * <p>
	 * One that sleeps always has an alarm, which wakes it in any case.
	 */
	static final class AsyncCaller implements Sleeper {

		private static final long LONGEST_SLEEP = Duration.ofSeconds(30).toNanos();

		enum State {

			ASLEEP, WOKEN, RUNNING, ENDED

		}

		private final AsyncThreads threads;

		private final Background background;

		private final Background.Task alarm = new Background.Task(this::alarmed);

		private final Acquisition acquisition;

		private final Consumer<AsyncCaller> atTheEnd;

		private @Nullable Hold hold;

		private @Nullable Throwable failure;

		private State state = State.ASLEEP;

		private volatile boolean cancelled;

		private volatile boolean woken;

		AsyncCaller(AsyncThreads threads, Background background, Function<Sleeper, Acquisition> acquisition,
				Consumer<AsyncCaller> atTheEnd) {
			this.threads = threads;
			this.background = background;
			this.acquisition = acquisition.apply(this);
			this.atTheEnd = atTheEnd;
		}

		synchronized void begin() {
			if (this.state == State.ASLEEP) {
				this.threads.execute(this.acquisition.terms().keys(), this::run);
				this.state = State.WOKEN;
			}
		}

		// Who stands in a line and has no time left does not wait for the threads that
		// ask the store, but lets others go on
		private void alarmed() {
			begin();
			if (!hasTimeLeft()) {
				this.threads.onOtherThread(this::run);
			}
		}

		private synchronized boolean hasTimeLeft() {
			long left = this.acquisition.deadline().left();
			if (this.state == State.WOKEN && left > 0) {
				this.background.schedule(this.alarm, Math.min(left, LONGEST_SLEEP));
			}
			return left > 0;
		}

		@Override
		public void wake() {
			this.woken = true;
			begin();
		}

		// Give up the lock, unless it is held already, without waiting for a thread
		void cancel() {
			this.cancelled = true;
			wake();
			if (isWoken()) {
				this.threads.onOtherThread(this::run);
			}
		}

		private synchronized boolean isWoken() {
			return this.state == State.WOKEN;
		}

		private void run() {
			if (!change(State.WOKEN, State.RUNNING)) {
				return;
			}
			this.background.cancel(this.alarm);
			try {
				if (this.acquisition.context().call(this::goOn)) {
					return;
				}
				this.hold = this.cancelled ? null : this.acquisition.takeHold();
			}
			catch (Throwable ex) {
				this.failure = ex;
			}
			end();
			this.threads.callBack(this::conclude);
		}

		private void conclude() {
			if (change(State.RUNNING, State.ENDED)) {
				this.atTheEnd.accept(this);
			}
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

		// Returns whether there is something to wait for
		private boolean goOn() {
			while (!this.cancelled) {
				this.woken = false;
				long nanos = this.acquisition.proceed();
				if (nanos == Line.DECIDED) {
					return false;
				}
				if (sleep(nanos)) {
					return true;
				}
			}
			return false;
		}

		// Unless woken since the time to sleep was computed
		private synchronized boolean sleep(long nanos) {
			if (this.cancelled || this.woken) {
				return false;
			}
			this.background.schedule(this.alarm, Math.min(nanos, LONGEST_SLEEP));
			this.state = State.ASLEEP;
			return true;
		}

	}

}
