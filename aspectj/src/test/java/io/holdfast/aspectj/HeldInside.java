package io.holdfast.aspectj;

import java.util.concurrent.Callable;

import io.holdfast.DistributedLock;
import io.holdfast.LockRegistry;

/**
 * Counts the locks that are held inside of a method that no proxy can intercept.
 */
class HeldInside implements Callable<Integer> {

	private final LockRegistry locks;

	HeldInside(LockRegistry locks) {
		this.locks = locks;
	}

	@Override
	public Integer call() {
		return locked();
	}

	@DistributedLock(name = "inside")
	private int locked() {
		return this.locks.held().size();
	}

}
