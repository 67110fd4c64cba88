package io.holdfast.benchmarks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.util.CheckedCallable;

record BothLocks(Lock old, Lock next) implements Lock {

	static LockRegistry<Lock> registry(LockRegistry<?> old, LockRegistry<?> next) {
		return (key) -> new BothLocks(old.obtain(key), next.obtain(key));
	}

	@Override
	public void lock() {
		this.old.lock();
		orUnlockOld(() -> {
			this.next.lock();
			return true;
		});
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		this.old.lockInterruptibly();
		orUnlockOld(() -> {
			this.next.lockInterruptibly();
			return true;
		});
	}

	@Override
	public boolean tryLock() {
		return this.old.tryLock() && orUnlockOld(this.next::tryLock);
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return this.old.tryLock(time, unit) && orUnlockOld(() -> this.next.tryLock(time, unit));
	}

	private <E extends Exception> boolean orUnlockOld(CheckedCallable<Boolean, E> attempt) throws E {
		boolean locked = false;
		try {
			locked = attempt.call();
			return locked;
		}
		finally {
			if (!locked) {
				this.old.unlock();
			}
		}
	}

	@Override
	public void unlock() {
		try {
			this.next.unlock();
		}
		finally {
			this.old.unlock();
		}
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException();
	}

}
