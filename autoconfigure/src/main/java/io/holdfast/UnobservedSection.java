package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * A section that is not observed, and its scope.
 */
enum UnobservedSection implements LockSection, LockSection.Scope {

	INSTANCE;

	@Override
	public Scope open() {
		return this;
	}

	@Override
	public void close() {
	}

	@Override
	public void end(@Nullable ReleaseResult result, @Nullable Throwable failure) {
	}

}
