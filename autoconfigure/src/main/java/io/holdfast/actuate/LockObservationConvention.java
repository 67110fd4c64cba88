package io.holdfast.actuate;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names the observation of a section that runs under a lock, and sets its key values. A
 * bean of this type replaces {@link DefaultLockObservationConvention}.
 *
 * @since 0.1.0
 */
public interface LockObservationConvention extends ObservationConvention<LockObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof LockObservationContext;
	}

}
