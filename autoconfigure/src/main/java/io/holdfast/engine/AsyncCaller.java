package io.holdfast.engine;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;

import io.holdfast.engine.runtime.Background;
import org.jspecify.annotations.Nullable;

/**
 * Sees an acquisition through that no thread waits for: one is borrowed whenever it can
 * go on.
 *
 * <pre class="code">
 * ASLEEP --(woken, time is up, cancelled)--&gt; WOKEN --(gets a thread)--&gt; RUNNING
 *   ^                                                                   |   |
 *   +------------------(finds something to wait for)--------------------+   |
 *                                                                           |
 *                   ENDED &lt;---------(decided, failed, cancelled)------------+
 * </pre>
 *
 * To look whether it was woken and to fall asleep is one step under the monitor, which
 * {@link #wake()} takes as well: what comes before is seen, what comes after finds a
 * sleeper. So no wake-up is missed, and no two threads run.
 *
 * <p>
 * One that sleeps always has an alarm, which wakes it if nobody else manages to.
 */
final class AsyncCaller implements Acquisition.Sleeper {

	private static final long LONGEST_SLEEP = Duration.ofSeconds(30).toNanos();

	enum State {

		ASLEEP, WOKEN, RUNNING, ENDED

	}

	private final AsyncThreads threads;

	private final Background background;

	private final Background.Task alarm = new Background.Task(this::begin);

	private final Acquisition acquisition;

	private final Consumer<AsyncCaller> atTheEnd;

	private @Nullable Hold hold;

	private @Nullable Throwable failure;

	private State state = State.ASLEEP;

	private boolean cancelled;

	private volatile boolean woken;

	/**
	 * Create a caller that has not begun.
	 * @param acquisition makes the acquisition
	 * @param atTheEnd told when it is decided; called once, on a thread that others may
	 * block
	 */
	AsyncCaller(AsyncThreads threads, Background background, Function<Acquisition.Sleeper, Acquisition> acquisition,
			Consumer<AsyncCaller> atTheEnd) {
		this.threads = threads;
		this.background = background;
		this.acquisition = acquisition.apply(this);
		this.atTheEnd = atTheEnd;
	}

	/**
	 * Return what has been acquired, if anything, at the end. It is up to the caller to
	 * end it.
	 */
	@Nullable Hold hold() {
		return this.hold;
	}

	/**
	 * Return why it failed, if it did.
	 */
	@Nullable Throwable failure() {
		return this.failure;
	}

	@Nullable String holder() {
		return this.acquisition.holder();
	}

	/**
	 * Begin, or go on. If this throws, nothing has happened.
	 */
	synchronized void begin() {
		if (this.state == State.ASLEEP) {
			this.threads.execute(this.acquisition.terms().keys(), this::run);
			this.state = State.WOKEN;
			this.background.cancel(this.alarm);
		}
	}

	@Override
	public void wake() {
		this.woken = true;
		try {
			begin();
		}
		catch (Throwable ex) {
			// its alarm wakes it
		}
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
		if (!change(State.WOKEN, State.RUNNING)) {
			return;
		}
		try {
			if (goOn()) {
				return;
			}
			this.hold = isCancelled() ? null : this.acquisition.takeHold();
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

	/**
	 * An executor may run what it has said not to have taken.
	 */
	private synchronized boolean change(State from, State to) {
		if (this.state != from) {
			return false;
		}
		this.state = to;
		return true;
	}

	private void end() {
		try {
			this.acquisition.end();
		}
		catch (Throwable ex) {
			this.failure = (this.failure != null) ? this.failure : ex;
		}
	}

	/**
	 * Go on until there is something to wait for.
	 * @return whether there is; if not, this is the end
	 */
	private boolean goOn() {
		while (!isCancelled()) {
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

	/**
	 * Fall asleep, unless woken since it was looked how long to sleep.
	 */
	private synchronized boolean sleep(long nanos) {
		if (this.cancelled || this.woken) {
			return false;
		}
		this.background.schedule(this.alarm, Math.min(nanos, LONGEST_SLEEP));
		this.state = State.ASLEEP;
		return true;
	}

}
