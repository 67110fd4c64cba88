package io.holdfast.aop;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.holdfast.LockHandle;

/**
 * The locks that a call has acquired so far: the loss of one is the loss of all.
 */
final class HeldLocks {

	private final List<LockHandle> locks = new ArrayList<>();

	private final Consumer<LockHandle> releaseAside;

	/**
	 * Create for a call that holds nothing yet.
	 * @param releaseAside gives up a lock without waiting for Redis: whoever tells losses
	 * must not, there may be others to tell
	 */
	HeldLocks(Consumer<LockHandle> releaseAside) {
		this.releaseAside = releaseAside;
	}

	void add(LockHandle lock) {
		this.locks.add(lock);
	}

	int count() {
		return this.locks.size();
	}

	/**
	 * Have the loss of one lock release the others. To be called when all are there.
	 * @throws io.holdfast.LockLostException when one was lost while the others were
	 * waited for
	 */
	void join() {
		if (this.locks.size() > 1) {
			this.locks.forEach(LockHandle::ensureHeld);
			this.locks.forEach((lock) -> lock.onLost((lost) -> releaseAllBut(lock)));
		}
	}

	private void releaseAllBut(LockHandle lost) {
		this.locks.stream().filter((lock) -> lock != lost).forEach(this.releaseAside);
	}

}
