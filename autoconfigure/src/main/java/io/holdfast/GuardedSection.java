package io.holdfast;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Code that runs under a lock, on one thread. Leaves it to the language to put what is
 * thrown at the end behind what was thrown by the code.
 */
final class GuardedSection implements AutoCloseable {

	private final LockHandle lock;

	private final OnLost onLost;

	private LockSection observed = UnobservedSection.INSTANCE;

	private LockSection.Scope scope = UnobservedSection.INSTANCE;

	private @Nullable Throwable failure;

	/**
	 * Create a section.
	 * @param lock the lock, which is held
	 * @param onLost what to do when it was lost
	 */
	GuardedSection(LockHandle lock, OnLost onLost) {
		this.lock = lock;
		this.onLost = onLost;
	}

	/**
	 * Run the code.
	 * @param observation told that it begins
	 */
	<T extends @Nullable Object, E extends Throwable> T run(Function<LockHandle, LockSection> observation,
			LockCallback<T, E> action) throws E {
		this.observed = observation.apply(this.lock);
		this.scope = this.observed.open();
		try {
			return action.doWithLock(this.lock);
		}
		catch (Throwable ex) {
			this.failure = ex;
			throw ex;
		}
	}

	/**
	 * The scope ends after the release, so that Redis is seen to be asked within it.
	 */
	@Override
	public void close() {
		Ending ending = release();
		this.scope.close();
		this.observed.end(ending.result(), (this.failure != null) ? this.failure : ending.trouble());
		Throwable told = ending.told(this.onLost);
		if (told instanceof Error error) {
			throw error;
		}
		if (told != null) {
			throw (RuntimeException) told;
		}
	}

	private Ending release() {
		try {
			return Ending.of(this.lock, this.lock.release());
		}
		catch (RuntimeException | Error ex) {
			return Ending.failed(ex);
		}
	}

}
