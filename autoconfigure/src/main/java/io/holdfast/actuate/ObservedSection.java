package io.holdfast.actuate;

import io.holdfast.LockSection;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * A section that is observed.
 *
 * @param observation the observation, which has begun
 * @param context what is known of the section
 */
record ObservedSection(Observation observation, LockObservationContext context) implements LockSection {

	@Override
	public Scope open() {
		return this.observation.openScope()::close;
	}

	@Override
	public void end(@Nullable ReleaseResult result, @Nullable Throwable failure) {
		this.context.setOutcome(LockObservationContext.Outcome.of(result, failure));
		Throwable error = (failure != null || result != ReleaseResult.PENDING) ? failure : pending();
		if (error != null) {
			this.observation.error(error);
		}
		this.observation.stop();
	}

	/**
	 * Nobody is told this otherwise.
	 */
	private LockUnavailableException pending() {
		return new LockUnavailableException("The release of lock '%s' could not be told to Redis yet"
			.formatted(String.join(", ", this.context.getKeys())), null);
	}

}
