package io.holdfast.actuate;

import io.holdfast.LockSection;
import io.holdfast.LockUnavailableException;
import io.holdfast.LogText;
import io.holdfast.ReleaseResult;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * A section that is observed. The handlers of an application may throw at every step. The
 * exception goes to the caller, which hides it from users. No scope remains on the
 * thread, where it would surround everything later, and no observation remains unstopped.
 *
 * @param registry the registry of the observation
 * @param observation the observation
 * @param context the context of the section
 */
record ObservedSection(ObservationRegistry registry, Observation observation,
		LockObservationContext context) implements LockSection {

	/**
	 * Begin the observation. If that fails, some handlers may have begun already.
	 */
	void start() {
		try {
			this.observation.start();
		}
		catch (Throwable ex) {
			suppressing(ex, this.observation::stop);
			throw ex;
		}
	}

	@Override
	public Scope open() {
		Observation.Scope outer = this.registry.getCurrentObservationScope();
		try {
			Observation.Scope scope = this.observation.openScope();
			return () -> close(scope, outer);
		}
		catch (Throwable ex) {
			suppressing(ex, () -> closeHalfOpen(outer));
			throw ex;
		}
	}

	/**
	 * Micrometer makes a scope the current one before it calls the handlers, and leaves
	 * it there if one of them throws.
	 */
	private void closeHalfOpen(Observation.@Nullable Scope outer) {
		Observation.Scope halfOpen = this.registry.getCurrentObservationScope();
		if (halfOpen != null && halfOpen != outer) {
			close(halfOpen, outer);
		}
	}

	private void close(Observation.Scope scope, Observation.@Nullable Scope outer) {
		try {
			scope.close();
		}
		finally {
			this.registry.setCurrentObservationScope(outer);
		}
	}

	private static void suppressing(Throwable failure, Runnable cleanUp) {
		try {
			cleanUp.run();
		}
		catch (Throwable ex) {
			if (ex != failure) {
				failure.addSuppressed(ex);
			}
		}
	}

	@Override
	public void end(@Nullable ReleaseResult result, @Nullable Throwable failure) {
		this.context.setOutcome(LockObservationContext.Outcome.of(result, failure));
		Throwable error = (failure != null || result != ReleaseResult.PENDING) ? failure : pending();
		try {
			if (error != null) {
				this.observation.error(error);
			}
		}
		finally {
			this.observation.stop();
		}
	}

	/**
	 * There is no other way to tell it.
	 */
	private LockUnavailableException pending() {
		return new LockUnavailableException(
				"The release of lock '%s' has not reached Redis yet".formatted(LogText.keys(this.context.getKeys())),
				null);
	}

}
