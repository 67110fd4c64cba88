package io.holdfast.engine.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Virtual time, and who runs. Threads are real, but only the one that has the baton runs,
 * until it hands it over at a seam. Time goes on by a little at each seam, and to the
 * next event when no thread can run.
 *
 * <p>
 * Only who has the baton touches anything here; handing it over makes all of that visible
 * to the next.
 */
final class Scheduler {

	static final long NEVER = Long.MAX_VALUE / 2;

	/**
	 * How long, in reality, a thread may run between two seams.
	 */
	private static final long HANG_SECONDS = 30;

	private static final int SPURIOUS_RETURNS = 300;

	private final Chance chance;

	private final Pace pace;

	private final Policy policy;

	private final StringBuilder history = new StringBuilder(1 << 16);

	private final List<SimThread> threads = new ArrayList<>();

	private final List<SimThread> runnable = new ArrayList<>();

	private final PriorityQueue<Event> events = new PriorityQueue<>();

	private final List<String> failures = new ArrayList<>();

	private final Thread controller = Thread.currentThread();

	private volatile @Nullable SimThread ended;

	private volatile boolean over;

	private long now;

	private long steps;

	private long sequence;

	private long lastThread;

	private int atomic;

	Scheduler(Chance chance, Pace pace) {
		this.chance = chance;
		this.pace = pace;
		this.policy = new Policy(chance.split(), pace.priorities());
	}

	long now() {
		return this.now;
	}

	long steps() {
		return this.steps;
	}

	/**
	 * Return what has happened, one line for each event: the time in microseconds, who
	 * did it, what it was.
	 */
	String history() {
		return this.history.toString();
	}

	List<String> failures() {
		return this.failures;
	}

	void note(String what) {
		boolean byThread = this.atomic == 0 && Thread.currentThread() instanceof SimThread;
		String who = byThread ? Thread.currentThread().getName() : "-";
		this.history.append(this.now / 1000).append(' ').append(who).append(' ').append(what).append('\n');
	}

	Thread newThread(Host host, String name, Runnable task) {
		return new SimThread(this, host, name, ++this.lastThread, task);
	}

	void at(long time, Runnable action) {
		this.events.add(new Event(time, ++this.sequence, action));
	}

	/**
	 * Do something in one step: no other thread runs meanwhile, and no time passes.
	 */
	<T> T atomically(Supplier<T> action) {
		this.atomic++;
		try {
			return action.get();
		}
		finally {
			this.atomic--;
		}
	}

	/**
	 * Let a thread run, and all that it starts, until it has ended. What is left then is
	 * ended as well.
	 * @param atTheEnd called before that
	 */
	void run(Host host, Runnable task, Runnable atTheEnd) {
		SimThread first = (SimThread) newThread(host, "main", task);
		first.start();
		SimThread last = null;
		while (last != first) {
			giveBaton(next());
			last = awaitEnded();
		}
		this.atomic++;
		atTheEnd.run();
		this.atomic--;
		this.over = true;
		List.copyOf(this.threads).forEach((thread) -> {
			thread.giveBaton();
			awaitEnded();
		});
	}

	private SimThread awaitEnded() {
		long seen = -1;
		for (int seconds = 0; this.ended == null; seconds = (this.steps != seen) ? 0 : seconds + 1) {
			seen = this.steps;
			if (seconds > HANG_SECONDS) {
				throw new IllegalStateException("No thread comes to a seam:\n" + this.threads.stream()
					.map((thread) -> thread + Arrays.toString(thread.getStackTrace()))
					.collect(Collectors.joining("\n")));
			}
			LockSupport.parkNanos(this, TimeUnit.SECONDS.toNanos(1));
		}
		SimThread thread = this.ended;
		this.ended = null;
		try {
			if (!thread.isAbandoned()) {
				thread.join();
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		return thread;
	}

	void register(SimThread thread) {
		this.threads.add(thread);
		this.policy.began(thread);
	}

	void uncaught(SimThread thread, Throwable failure) {
		note("ends with " + failure);
		this.failures.add(thread.getName() + " has ended with " + failure + " at "
				+ Arrays.stream(failure.getStackTrace()).limit(8).toList());
	}

	void ended(SimThread thread) {
		this.threads.remove(thread);
		this.ended = thread;
		LockSupport.unpark(this.controller);
	}

	void endIfOver() {
		if (this.over) {
			SimThread.current().end();
		}
	}

	/**
	 * A seam: another thread may go on from here, unless the current one holds a monitor.
	 */
	void pass() {
		if (this.atomic > 0) {
			return;
		}
		endIfOver();
		SimThread me = SimThread.current();
		this.steps++;
		this.now += this.chance.between(1, this.pace.step());
		runEvents();
		boolean stalls = this.chance.oneIn(this.pace.stalls());
		if (stalls && !Monitors.mayBeHeld()) {
			long stall = this.chance.around(this.pace.meanStall());
			me.host().threadStalls(this.now, stall);
			me.stall(this.now + stall);
			handOver(me, next());
		}
		else if (this.policy.interrupts(me)) {
			me.fallAsleep(this.now);
			SimThread next = next();
			handOver(me, (next != me && Monitors.mayBeHeld()) ? me : next);
		}
	}

	void sleep(long until) {
		endIfOver();
		if (this.atomic > 0) {
			throw new IllegalStateException("Nobody can sleep in a step");
		}
		SimThread me = SimThread.current();
		this.steps++;
		me.fallAsleep(until);
		handOver(me, next());
	}

	void sleepFor(long nanos) {
		sleep(this.now + nanos);
	}

	void wake(Thread thread) {
		((SimThread) thread).wake();
	}

	/**
	 * Park the current thread as {@link LockSupport} does, which may return without
	 * reason.
	 */
	void park(long nanos) {
		pass();
		if (!this.chance.oneIn(SPURIOUS_RETURNS)) {
			SimThread.current().park((nanos >= NEVER) ? NEVER : this.now + Math.max(0, nanos));
		}
	}

	void unpark(@Nullable Thread thread) {
		if (thread instanceof SimThread sleeper) {
			sleeper.unpark();
		}
		pass();
	}

	void stall(Host host, long nanos) {
		host.stall(this.now, nanos);
	}

	/**
	 * Return whether all threads but the current one wait for something, those aside
	 * whose host has died.
	 */
	boolean isQuiet() {
		return this.threads.stream()
			.noneMatch(
					(thread) -> thread != Thread.currentThread() && !thread.host().isDead() && thread.isBusy(this.now));
	}

	private void giveBaton(SimThread thread) {
		thread.host().threadHasWaited(this.now - thread.runnableSince());
		thread.giveBaton();
	}

	private void handOver(SimThread me, SimThread next) {
		if (next != me) {
			giveBaton(next);
			me.awaitBaton();
		}
		me.awaken();
	}

	private SimThread next() {
		while (true) {
			this.runnable.clear();
			long earliest = this.events.isEmpty() ? NEVER : this.events.peek().time();
			for (SimThread thread : this.threads) {
				long from = thread.runnableFrom();
				earliest = Math.min(earliest, from);
				if (from <= this.now) {
					this.runnable.add(thread);
				}
			}
			if (!this.runnable.isEmpty()) {
				return this.policy.choose(this.runnable);
			}
			if (earliest == NEVER) {
				throw new IllegalStateException("All threads sleep for ever: " + this.threads);
			}
			this.now = Math.max(this.now, earliest);
			runEvents();
		}
	}

	private void runEvents() {
		while (!this.events.isEmpty() && this.events.peek().time() <= this.now) {
			Event event = this.events.remove();
			atomically(() -> {
				event.action().run();
				return event;
			});
		}
	}

	String threadDump() {
		return this.threads.stream()
			.map((thread) -> thread.getName() + " "
					+ Arrays.stream(thread.getStackTrace())
						.filter((frame) -> frame.getClassName().startsWith("io.holdfast."))
						.map((frame) -> frame.getFileName() + ":" + frame.getLineNumber())
						.collect(Collectors.joining(" < ")))
			.collect(Collectors.joining("\n"));
	}

	/**
	 * How threads run.
	 *
	 * @param step how many nanoseconds pass at a seam, at most
	 * @param priorities after how many steps, in the mean, the priority of the running
	 * thread changes; zero for none
	 * @param stalls after how many steps, in the mean, the running thread is kept from
	 * running on for a while; zero for never
	 * @param meanStall for how long, in nanoseconds
	 */
	record Pace(long step, int priorities, int stalls, long meanStall) {
	}

	private record Event(long time, long sequence, Runnable action) implements Comparable<Event> {

		@Override
		public int compareTo(Event other) {
			int byTime = Long.compare(this.time, other.time);
			return (byTime != 0) ? byTime : Long.compare(this.sequence, other.sequence);
		}

	}

}
