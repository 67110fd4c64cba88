package io.holdfast;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The observation of a section that runs under a lock. Made when the section is
 * requested, so that its parent is the observation of the requesting thread, and started
 * with its lock.
 *
 * <p>
 * Handlers of the application may throw at each step. Then no scope remains on the
 * thread, where it would surround everything later, and no observation remains unstopped;
 * the section does not notice.
 */
final class SectionObservation {

	private static final Logger logger = LoggerFactory.getLogger(SectionObservation.class);

	private final Observation observation;

	private final AtomicBoolean failureLogged;

	private Observation.@Nullable Scope outer;

	private Observation.@Nullable Scope scope;

	private boolean started;

	private SectionObservation(Observation observation, AtomicBoolean failureLogged) {
		this.observation = observation;
		this.failureLogged = failureLogged;
	}

	static @Nullable SectionObservation of(LockRequest request, Function<LockRequest, Observation> observations,
			AtomicBoolean failureLogged) {
		try {
			Observation observation = observations.apply(request);
			return observation.isNoop() ? null : new SectionObservation(observation, failureLogged);
		}
		catch (Throwable ex) {
			log(ex, failureLogged);
			return null;
		}
	}

	// The section begins on this thread. Micrometer makes a scope the current one before
	// it calls the handlers, and leaves it there if one of them throws
	void begin(LockHandle lock) {
		ObservationRegistry registry = this.observation.getObservationRegistry();
		this.outer = registry.getCurrentObservationScope();
		this.observation.getContext().put(LockHandle.class, lock);
		this.started = guarded(this.observation::start);
		if (!this.started) {
			guarded(this.observation::stop);
			return;
		}
		boolean opened = guarded(this.observation::openScope);
		Observation.Scope current = registry.getCurrentObservationScope();
		this.scope = (current != this.outer) ? current : null;
		if (!opened) {
			leave();
		}
	}

	// The thread has finished its work for the section
	void leave() {
		Observation.Scope open = this.scope;
		if (open != null) {
			this.scope = null;
			guarded(open::close);
			this.observation.getObservationRegistry().setCurrentObservationScope(this.outer);
		}
	}

	// The failure is that of the section; if there is none, the loss of the lock, or the
	// exception of its release
	void end(LockHandle lock, @Nullable ReleaseResult result, @Nullable Throwable failure) {
		if (!this.started) {
			return;
		}
		if (result != null && (failure == null || result == ReleaseResult.LOST)) {
			this.observation.getContext().put(ReleaseResult.class, result);
		}
		Throwable error = (failure == null && result == ReleaseResult.PENDING) ? pending(lock) : failure;
		if (error != null) {
			guarded(() -> this.observation.error(error));
		}
		guarded(this.observation::stop);
	}

	// There is no other way to tell it
	private static LockUnavailableException pending(LockHandle lock) {
		return new LockUnavailableException(
				"The release of lock '%s' is not confirmed yet".formatted(LogText.keys(lock.keys())), null);
	}

	private boolean guarded(Runnable step) {
		try {
			step.run();
			return true;
		}
		catch (Throwable ex) {
			log(ex, this.failureLogged);
			return false;
		}
	}

	// A handler that always throws must not flood the log
	private static void log(Throwable failure, AtomicBoolean failureLogged) {
		if (failureLogged.compareAndSet(false, true)) {
			logger.warn("An observation of a locked section threw an exception", failure);
		}
		else {
			logger.debug("An observation of a locked section threw an exception again", failure);
		}
	}

}
