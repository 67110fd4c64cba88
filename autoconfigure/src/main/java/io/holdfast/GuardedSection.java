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
		LockLostException loss = loss(this.lock.release());
		if (loss != null) {
			throw loss;
		}
	}

	/**
	 * Return what to tell the caller.
	 * @param result what came of the release
	 * @return the loss, or {@code null} when there was none or it is not to be told
	 */
	@Nullable LockLostException loss(ReleaseResult result) {
		if (result != ReleaseResult.LOST || this.onLost == OnLost.LOG) {
			return null;
		}
		return new LockLostException(String.join(", ", this.lock.keys()),
				"it was not held to the end of the section it guarded", reason());
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
