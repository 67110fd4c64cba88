package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * How the lock of a section has ended.
 *
 * @param result what its release found, or {@code null} when that has thrown an exception
 * @param trouble the exception, or the loss of the lock; {@code null} when all is well
 */
record Ending(@Nullable ReleaseResult result, @Nullable Throwable trouble) {

	/**
	 * The lock was released.
	 */
	static Ending of(LockHandle lock, ReleaseResult result) {
		return new Ending(result, (result == ReleaseResult.LOST) ? loss(lock) : null);
	}

	/**
	 * The release has thrown an exception.
	 */
	static Ending failed(Throwable failure) {
		return new Ending(null, failure);
	}

	private static LockLostException loss(LockHandle lock) {
		return new LockLostException(LogText.keys(lock.keys()), "it was not held to the end of the section it guarded",
				reason(lock));
	}

	private static @Nullable Throwable reason(LockHandle lock) {
		try {
			lock.ensureHeld();
			return null;
		}
		catch (LockLostException ex) {
			return ex.getCause();
		}
	}

	/**
	 * Return what to tell the caller.
	 * @return the trouble, or {@code null} when there was none or it is a loss that is
	 * not to be told
	 */
	@Nullable Throwable told(OnLost onLost) {
		return (this.result == ReleaseResult.LOST && onLost == OnLost.LOG) ? null : this.trouble;
	}

}
