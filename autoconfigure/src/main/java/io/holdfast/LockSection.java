package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * A section that runs under a lock, from the grant of the lock to its release, as a
 * {@link LockSectionObserver} sees it.
 *
 * @since 0.1.0
 */
public interface LockSection {

	/**
	 * Open a scope for the work of the current thread in the section. For an asynchronous
	 * section, that is only the start of its code.
	 * @return the scope, which is closed on the same thread, before the {@link #end}
	 */
	Scope open();

	/**
	 * The section has ended. Called once, on any thread.
	 * @param result the result of the release, or {@code null} if it threw an exception
	 * @param failure the exception of the section; if there is none, the loss of the
	 * lock, or the exception of its release; {@code null} if there was no failure
	 */
	void end(@Nullable ReleaseResult result, @Nullable Throwable failure);

	/**
	 * The time during which a thread works in a section.
	 */
	interface Scope extends AutoCloseable {

		@Override
		void close();

	}

}
