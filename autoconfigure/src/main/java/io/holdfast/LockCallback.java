package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * Code to run while a lock is held.
 *
 * @param <T> type of the result
 * @param <E> type of the exception the code may throw
 * @since 0.1.0
 * @see LockTemplate
 */
@FunctionalInterface
public interface LockCallback<T extends @Nullable Object, E extends Throwable> {

	/**
	 * Run under the lock.
	 * @param lock the held lock; it is released by the caller
	 * @return the result, which may be {@code null}
	 * @throws E what the code throws
	 */
	T doWithLock(LockHandle lock) throws E;

}
