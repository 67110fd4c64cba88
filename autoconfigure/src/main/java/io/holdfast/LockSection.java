package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * A section that runs under a lock, as a {@link LockSectionObserver} sees it, from when
 * the lock is held to when it is released.
 *
 * @since 0.1.0
 */
public interface LockSection {

	/**
	 * Regard what the current thread does from now on as part of the section. For an
	 * asynchronous section, that is only what starts it.
	 * @return closed on the same thread, before the {@link #end}
	 */
	Scope open();

	/**
	 * The section has ended. Called once, on any thread.
	 * @param result what the release of the lock found, or {@code null} when that has
	 * thrown an exception
	 * @param failure what the section has thrown; if it has thrown nothing, the loss of
	 * the lock, or what its release has thrown; {@code null} when all is well
	 */
	void end(@Nullable ReleaseResult result, @Nullable Throwable failure);

	/**
	 * The time for which a thread works for a section.
	 */
	interface Scope extends AutoCloseable {

		@Override
		void close();

	}

}
