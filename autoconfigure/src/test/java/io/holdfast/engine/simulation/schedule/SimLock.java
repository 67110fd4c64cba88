package io.holdfast.engine.simulation.schedule;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import org.jspecify.annotations.Nullable;

/**
 * A reentrant lock, as unfair as chance has it.
 */
final class SimLock implements Lock {

	private final Scheduler scheduler;

	private final Set<Thread> waiting = new LinkedHashSet<>();

	private @Nullable Thread owner;

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
		if (this.owner != null && this.owner != Thread.currentThread()) {
			return false;
		}
		this.owner = Thread.currentThread();
		this.count++;
		return true;
	}

	@Override
	public void unlock() {
		if (this.owner != Thread.currentThread()) {
			this.scheduler.endIfOver();
			throw new IllegalMonitorStateException();
		}
		if (--this.count == 0) {
			this.owner = null;
			this.waiting.forEach(this.scheduler::wake);
			this.scheduler.pass();
		}
	}

	@Override
	public void lockInterruptibly() {
		throw new UnsupportedOperationException();
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException();
	}

}
