package io.holdfast.actuate;

import java.util.function.Function;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockSection;
import io.holdfast.LockSectionObserver;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Observes each section that runs under a lock, as a child of the observation on the
 * thread that asked for the lock.
 *
 * @since 0.1.0
 * @see LockObservationDocumentation#SECTION
 */
public final class LockObservations implements LockSectionObserver {

	private static final LockObservationConvention DEFAULT = new DefaultLockObservationConvention();

	private final ObservationRegistry registry;

	private final @Nullable LockObservationConvention convention;

	private final LockNames names;

	/**
	 * Create an observer.
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
	public Function<LockHandle, LockSection> expect(LockRequest request) {
		if (this.registry.isNoop()) {
			return NONE.expect(request);
		}
		Observation parent = this.registry.getCurrentObservation();
		return (lock) -> start(new LockObservationContext(request, lock, this.names.tag(request.name())), parent);
	}

	/**
	 * This thread may be one that only works for the caller. Its observation is not the
	 * parent of the section, not even if the caller had none.
	 */
	private LockSection start(LockObservationContext context, @Nullable Observation parent) {
		Observation observation = LockObservationDocumentation.SECTION.observation(this.convention, DEFAULT,
				() -> context, this.registry);
		observation.parentObservation(parent);
		ObservedSection section = new ObservedSection(this.registry, observation, context);
		section.start();
		return section;
	}

}
