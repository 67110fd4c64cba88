package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * Code that runs under a lock, until the lock has been released: by {@link #close} on the
 * same thread, or by other code, which then calls {@link #end}.
 */
final class GuardedSection implements AutoCloseable {

	private final LockHandle lock;

	private final OnLost onLost;

	private final @Nullable SectionObservation observation;

	private @Nullable Throwable failure;

	GuardedSection(LockHandle lock, OnLost onLost, @Nullable SectionObservation observation) {
		this.lock = lock;
		this.onLost = onLost;
		this.observation = observation;
	}

	<T extends @Nullable Object, E extends Throwable> T run(LockCallback<T, E> action) throws E {
		if (this.observation != null) {
			this.observation.begin(this.lock);
		}
		try {
			return action.doWithLock(this.lock);
		}
		catch (Throwable ex) {
			this.failure = ex;
			throw ex;
		}
	}

	// The scope ends after the release, so that it includes the request to the store
	@Override
	public void close() {
		ReleaseResult result = null;
		Throwable thrown = null;
		try {
			result = this.lock.release();
		}
		catch (RuntimeException | Error ex) {
			thrown = ex;
		}
		leave();
		Throwable outcome = end(this.failure, result, thrown);
		if (outcome == this.failure) {
			return;
		}
		if (outcome instanceof Error error) {
			throw error;
		}
		if (outcome instanceof RuntimeException exception) {
			throw exception;
		}
	}

	void leave() {
		if (this.observation != null) {
			this.observation.leave();
		}
	}

	// The code has ended, and the lock has been released
	@Nullable Throwable end(@Nullable Throwable failure, @Nullable ReleaseResult result, @Nullable Throwable thrown) {
		boolean lost = result == ReleaseResult.LOST;
		Throwable trouble = lost ? loss() : thrown;
		if (this.observation != null) {
			this.observation.end(this.lock, result, (failure != null) ? failure : trouble);
		}
		Throwable told = (lost && this.onLost == OnLost.LOG) ? null : trouble;
		if (failure == null) {
			return told;
		}
		if (told != null && told != failure) {
			failure.addSuppressed(told);
		}
		return failure;
	}

	private LockLostException loss() {
		return new LockLostException(LogText.keys(this.lock.keys()),
				"it was not held to the end of the section it guarded", reason());
	}

	private @Nullable Throwable reason() {
		try {
			this.lock.ensureHeld();
			return null;
		}
		catch (Throwable ex) {
			return (ex instanceof LockLostException) ? ex.getCause() : ex;
		}
	}

}
