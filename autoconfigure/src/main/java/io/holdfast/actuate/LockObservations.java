package io.holdfast.actuate;

import java.util.function.Function;

import io.holdfast.LockRequest;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Makes the observation of each section that runs under a lock, as a child of the
 * observation on the thread that asked for the lock.
 *
 * @since 0.1.0
 * @see DefaultLockObservationConvention
 */
public final class LockObservations implements Function<LockRequest, Observation> {

	private static final LockObservationConvention DEFAULT = new DefaultLockObservationConvention();

	private final ObservationRegistry registry;

	private final @Nullable LockObservationConvention convention;

	private final LockNames names;

	/**
	 * Create a source of observations.
	 * @param registry where observations go
	 * @param convention names them, or {@code null} for the default
	 * @param names the names of locks that they are tagged with
	 */
	public LockObservations(ObservationRegistry registry, @Nullable LockObservationConvention convention,
			LockNames names) {
		this.registry = registry;
		this.convention = convention;
		this.names = names;
	}

	@Override
	public Observation apply(LockRequest request) {
		return Observation.createNotStarted(this.convention, DEFAULT,
				() -> new LockObservationContext(request, this.names.tag(request.name())), this.registry);
	}

}
