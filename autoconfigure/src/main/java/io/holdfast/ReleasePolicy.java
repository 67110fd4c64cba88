package io.holdfast;

import org.springframework.util.ClassUtils;

/**
 * Decides, when a lock has been acquired, what its release waits for.
 */
@FunctionalInterface
interface ReleasePolicy {

	/**
	 * Return the handle to give to the user.
	 */
	LockHandle apply(LockHandle acquired);

	/**
	 * Return the policy to release at once, or after the transaction. What knows of
	 * transactions is loaded only if there can be any.
	 */
	static ReleasePolicy of(boolean afterTransaction) {
		boolean transactions = ClassUtils.isPresent(
				"org.springframework.transaction.support.TransactionSynchronizationManager",
				ReleasePolicy.class.getClassLoader());
		return (afterTransaction && transactions) ? TransactionBoundHandle::bind : (acquired) -> acquired;
	}

}
