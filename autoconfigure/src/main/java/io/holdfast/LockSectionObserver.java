package io.holdfast;

import java.util.List;
import java.util.function.Function;

/**
 * Observes the sections that run under locks, by {@link LockTemplate} or annotated
 * methods, for example for traces. An exception, or a result of {@code null}, is logged
 * and not propagated. Beans of this type are called in their order.
 *
 * @since 0.1.0
 * @see LockTemplate#LockTemplate(LockRegistry, OnLost, boolean, LockSectionObserver)
 */
@FunctionalInterface
public interface LockSectionObserver {

	/**
	 * Observes nothing.
	 */
	LockSectionObserver NONE = (request) -> (lock) -> UnobservedSection.INSTANCE;

	/**
	 * A section is requested. Called on the requesting thread: its present context is the
	 * parent of the section, on whichever thread that runs.
	 * @param request what to lock for it
	 * @return a function that is called when the section begins, on its thread, with the
	 * held lock; not called if the lock is not acquired
	 */
	Function<LockHandle, LockSection> expect(LockRequest request);

	/**
	 * Combine several observers.
	 * @param observers the observers: the first one sees a section begin first, and end
	 * last
	 * @return an observer that calls all of them, even if one of them throws an exception
	 */
	static LockSectionObserver allOf(List<? extends LockSectionObserver> observers) {
		LockSectionObserver all = NONE;
		for (int i = observers.size() - 1; i >= 0; i--) {
			all = FailSafeObserver.around(observers.get(i), all);
		}
		return all;
	}

}
