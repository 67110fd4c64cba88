package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * Code that runs under a lock. Leaves it to the language to put what is thrown at the end
 * behind what was thrown by the code.
 *
 * @param lock the lock
 * @param onLost what to do when the lock was lost
 */
record GuardedSection(LockHandle lock, OnLost onLost) implements AutoCloseable {

	@Override
	public void close() {
		ReleaseResult result = this.lock.release();
		if (result == ReleaseResult.LOST && this.onLost != OnLost.LOG) {
			throw new LockLostException(String.join(", ", this.lock.keys()),
					"it was not held to the end of the section it guarded", reason());
		}
	}

	private @Nullable Throwable reason() {
		try {
			this.lock.ensureHeld();
			return null;
		}
		catch (LockLostException ex) {
			return ex.getCause();
		}
	}

}
