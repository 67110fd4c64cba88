package io.holdfast.concurrent;

import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.FailureDigest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Runs what the engine does in the background: short tasks at their time, on one thread,
 * and others on executors.
 *
 * <p>
 * Nothing that is thrown ends this or loses a task. A task stays scheduled until it has
 * run, and one that throws runs again a moment later. What an executor does not take,
 * because no thread can be started, it is offered again. If the thread of this cannot be
 * started, the next one who schedules something tries that again.
 *
 * @since 0.1.0
 */
public final class Background {

	/**
	 * Time after which what has failed is tried again.
	 */
	private static final long RETRY_NANOS = Duration.ofMillis(100).toNanos();

	private static final Logger logger = LoggerFactory.getLogger(Background.class);

	/**
	 * How long the thread waits for something to be scheduled before it ends.
	 */
	private static final long IDLE_NANOS = Duration.ofSeconds(10).toNanos();

	private final ConcurrentSkipListSet<Entry> entries = new ConcurrentSkipListSet<>();

	private final AtomicLong sequence = new AtomicLong();

	private final FailureDigest failures = new FailureDigest(logger, Level.ERROR, "A task in the background has failed",
			"{} more tasks in the background have failed, the last: {}", System::nanoTime);

	private final EngineRuntime runtime;

	private final String threadName;

	private volatile long asleepUntil;

	private long lastBusy;

	private volatile boolean stopped;

	private volatile @Nullable Thread thread;

	/**
	 * Create a background whose thread starts when something is scheduled.
	 * @param runtime time and threads
	 * @param threadName the name of the thread
	 */
	public Background(EngineRuntime runtime, String threadName) {
		this.runtime = runtime;
		this.threadName = threadName;
	}

	/**
	 * Return time and threads.
	 * @return the runtime
	 */
	public EngineRuntime runtime() {
		return this.runtime;
	}

	/**
	 * Create an executor of daemon threads, which end when there is nothing to do. Once
	 * it has taken a task, it runs it, once.
	 * @param name the name of its threads
	 * @param threads how many there are at most
	 * @return the executor
	 */
	public Executor newExecutor(String name, int threads) {
		return lossless(this.runtime.newExecutor(name, threads));
	}

	/**
	 * Create an executor that has a thread for each task.
	 * @param name the name of its threads
	 * @return the executor
	 * @see #newExecutor(String, int)
	 */
	public Executor newUnlimitedExecutor(String name) {
		return lossless(this.runtime.newUnlimitedExecutor(name));
	}

	private Executor lossless(Executor executor) {
		return (task) -> offer(executor, new Once(task));
	}

	private void offer(Executor executor, Runnable task) {
		try {
			executor.execute(task);
		}
		catch (Throwable ex) {
			schedule(new Task(() -> executor.execute(task)), RETRY_NANOS);
		}
	}

	/**
	 * Run a task later; if it is scheduled already, at this time instead.
	 * @param task the task
	 * @param nanos how much later
	 * @return whether there is a thread that runs it. If not, it stays scheduled until
	 * there is one
	 */
	public boolean schedule(Task task, long nanos) {
		return scheduleAt(task, this.runtime.nanos() + nanos);
	}

	/**
	 * Run a task later, and wait until that can be scheduled. For threads of this.
	 * @param task the task
	 * @param nanos how much later
	 */
	public void scheduleForSure(Task task, long nanos) {
		while (true) {
			try {
				if (scheduleAt(task, this.runtime.nanos() + nanos)) {
					return;
				}
				this.runtime.park(this, RETRY_NANOS);
			}
			catch (Throwable ex) {
				rest(ex);
			}
		}
	}

	/**
	 * Run a task at some time; if it is scheduled already, at this time instead.
	 * @param task the task
	 * @param due the time on the clock
	 * @return whether there is a thread that runs it
	 */
	public boolean scheduleAt(Task task, long due) {
		Entry entry = new Entry(task, due, this.sequence.incrementAndGet());
		Entry before;
		synchronized (task) {
			this.entries.add(entry);
			before = task.entry;
			task.entry = entry;
		}
		remove(before);
		return wakeUpFor(due);
	}

	/**
	 * Do not run a task that is scheduled.
	 * @param task the task
	 */
	public void cancel(Task task) {
		Entry before;
		synchronized (task) {
			before = task.entry;
			task.entry = null;
		}
		remove(before);
	}

	private void remove(@Nullable Entry entry) {
		if (entry != null) {
			this.entries.remove(entry);
		}
	}

	private boolean wakeUpFor(long due) {
		Thread running = this.thread;
		if (running == null) {
			return start();
		}
		if (due - this.asleepUntil < 0 || isOverdue()) {
			this.runtime.unpark(running);
		}
		return true;
	}

	/**
	 * Return whether the thread is to be awake by now. It sleeps for too long when
	 * everything stood still after it had looked at the clock.
	 */
	private boolean isOverdue() {
		return this.asleepUntil - this.runtime.nanos() < 0;
	}

	/**
	 * Begin anew after {@link #stop}.
	 */
	public void open() {
		this.stopped = false;
	}

	/**
	 * Forget what is scheduled, and let the thread end at once when nothing is scheduled
	 * any more.
	 */
	public void stop() {
		this.stopped = true;
		this.entries.clear();
		this.runtime.unpark(this.thread);
	}

	private synchronized boolean start() {
		if (this.thread != null) {
			return true;
		}
		try {
			Thread fresh = this.runtime.newThread(this.threadName, this::run);
			this.lastBusy = this.runtime.nanos();
			fresh.start();
			this.thread = fresh;
			return true;
		}
		catch (Throwable ex) {
			failed(ex);
			return false;
		}
	}

	/**
	 * Wait until the thread that has started this one has noted it.
	 */
	private synchronized void awaitNoted() {
	}

	private void run() {
		awaitNoted();
		while (this.thread == Thread.currentThread()) {
			try {
				goOn();
			}
			catch (Throwable ex) {
				rest(ex);
			}
		}
	}

	/**
	 * Says until when it sleeps at most before it looks at what comes first, and again
	 * before it sleeps: a thread that schedules something earlier sees that and wakes it.
	 */
	private void goOn() {
		long now = this.runtime.nanos();
		long latest = now + IDLE_NANOS;
		this.asleepUntil = latest;
		Entry first = first();
		this.lastBusy = (first != null) ? now : this.lastBusy;
		if (first != null && first.due - now <= 0) {
			run(first);
		}
		else if (first == null && (this.stopped || now - this.lastBusy >= IDLE_NANOS)) {
			end();
		}
		else {
			long until = (first != null) ? MonotonicClock.earlier(first.due, latest) : latest;
			this.asleepUntil = until;
			this.runtime.park(this, until - now);
		}
	}

	private @Nullable Entry first() {
		Iterator<Entry> inOrder = this.entries.iterator();
		return inOrder.hasNext() ? inOrder.next() : null;
	}

	/**
	 * The task stays scheduled while it runs, unless it schedules itself anew.
	 */
	private void run(Entry entry) {
		if (entry.isCurrent()) {
			try {
				entry.task.action.run();
			}
			catch (Throwable ex) {
				postpone(entry);
				failed(ex);
			}
		}
		entry.end();
		this.entries.remove(entry);
	}

	private void postpone(Entry entry) {
		if (entry.isCurrent()) {
			schedule(entry.task, RETRY_NANOS);
		}
	}

	/**
	 * What was scheduled by a thread that did not see this is seen here. Takes no memory,
	 * and no other thread.
	 */
	private void end() {
		this.thread = null;
		if (!this.entries.isEmpty()) {
			goOnUnlessReplaced();
		}
	}

	private synchronized void goOnUnlessReplaced() {
		if (this.thread == null) {
			this.thread = Thread.currentThread();
		}
	}

	private void rest(Throwable failure) {
		failed(failure);
		try {
			this.runtime.park(this, RETRY_NANOS);
		}
		catch (Throwable ex) {
			failed(ex);
		}
	}

	private void failed(Throwable failure) {
		try {
			this.failures.note(failure);
		}
		catch (Throwable ex) {
			// there is no way to tell that it cannot be told
		}
	}

	/**
	 * Runs a task once, also on an executor that has said not to have taken it, and runs
	 * it all the same.
	 */
	private final class Once implements Runnable {

		private final AtomicBoolean begun = new AtomicBoolean();

		private final Runnable task;

		private Once(Runnable task) {
			this.task = task;
		}

		@Override
		public void run() {
			if (!this.begun.compareAndSet(false, true)) {
				return;
			}
			try {
				this.task.run();
			}
			catch (Throwable ex) {
				failed(ex);
			}
		}

	}

	/**
	 * Something to be done later, once for each time that it is scheduled.
	 */
	public static final class Task {

		private final Runnable action;

		/**
		 * When it is to be done, guarded by the task.
		 */
		private @Nullable Entry entry;

		/**
		 * Create a task.
		 * @param action what to do; does not wait
		 */
		public Task(Runnable action) {
			this.action = action;
		}

	}

	private static final class Entry implements Comparable<Entry> {

		private final Task task;

		private final long due;

		/**
		 * Tells entries apart that are due at the same time.
		 */
		private final long sequence;

		Entry(Task task, long due, long sequence) {
			this.task = task;
			this.due = due;
			this.sequence = sequence;
		}

		/**
		 * Return whether the task has not been cancelled, nor scheduled for another time.
		 */
		boolean isCurrent() {
			synchronized (this.task) {
				return this.task.entry == this;
			}
		}

		void end() {
			synchronized (this.task) {
				if (this.task.entry == this) {
					this.task.entry = null;
				}
			}
		}

		@Override
		public int compareTo(Entry other) {
			int byTime = Long.signum(this.due - other.due);
			return (byTime != 0) ? byTime : Long.compare(this.sequence, other.sequence);
		}

	}

}
