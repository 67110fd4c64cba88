package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * A section that is not observed.
 */
enum UnobservedSection implements LockSection, LockSection.Scope {

	/**
	 * All of them.
	 */
	INSTANCE;

	static LockSection of(LockHandle lock) {
		return INSTANCE;
	}

	@Override
	public Scope open() {
		return this;
	}

	@Override
	public void close() {
		// nothing was opened
	}

	@Override
	public void end(@Nullable ReleaseResult result, @Nullable Throwable failure) {
		// Not observed
	}

}
