package io.holdfast;

import java.util.List;
import java.util.function.Function;

/**
 * Sees the sections that a {@link LockTemplate} runs under locks, also for annotated
 * methods: for traces, for example. What it throws is logged and goes no further; so is
 * {@code null}, which it must not return. Each bean of this type is told, in their order.
 *
 * @since 0.1.0
 * @see LockTemplate#LockTemplate(LockRegistry, OnLost, boolean, LockSectionObserver)
 */
@FunctionalInterface
public interface LockSectionObserver {

	/**
	 * Sees nothing.
	 */
	LockSectionObserver NONE = (request) -> (lock) -> UnobservedSection.INSTANCE;

	/**
	 * A section is wanted. Called on the thread that asks for it: what is known of that
	 * thread now is what the section is a part of, wherever it is going to run.
	 * @param request what to lock for it
	 * @return called when the lock is held and the section begins, on the thread on which
	 * it does; not at all when the lock is not acquired
	 */
	Function<LockHandle, LockSection> expect(LockRequest request);

	/**
	 * Make one observer of several.
	 * @param observers the observers: the first sees a section begin first, and end last
	 * @return an observer that tells them all, whatever one of them throws
	 */
	static LockSectionObserver allOf(List<? extends LockSectionObserver> observers) {
		return FailSafeObserver.of(observers);
	}

}
