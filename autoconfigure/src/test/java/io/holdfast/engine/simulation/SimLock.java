package io.holdfast.engine.simulation;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * A reentrant lock, as unfair as chance has it.
 */
final class SimLock extends ReentrantLock {

	private static final long serialVersionUID = 1L;

	private final transient Scheduler scheduler;

	private final transient Set<Thread> waiting = new LinkedHashSet<>();

	private transient @Nullable Thread holder;

	private int count;

	SimLock(Scheduler scheduler) {
		this.scheduler = scheduler;
	}

	@Override
	public void lock() {
		this.scheduler.pass();
		while (!take()) {
			this.waiting.add(Thread.currentThread());
			this.scheduler.sleep(Scheduler.NEVER);
			this.waiting.remove(Thread.currentThread());
		}
	}

	@Override
	public boolean tryLock() {
		this.scheduler.pass();
		return take();
	}

	private boolean take() {
		if (this.holder != null && this.holder != Thread.currentThread()) {
			return false;
		}
		this.holder = Thread.currentThread();
		this.count++;
		return true;
	}

	@Override
	public void unlock() {
		if (this.holder != Thread.currentThread()) {
			this.scheduler.endIfOver();
			throw new IllegalMonitorStateException();
		}
		if (--this.count == 0) {
			this.holder = null;
			this.waiting.forEach(this.scheduler::wake);
			this.scheduler.pass();
		}
	}

}
