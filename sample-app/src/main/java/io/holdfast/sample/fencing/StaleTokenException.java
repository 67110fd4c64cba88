package io.holdfast.sample.fencing;

import org.springframework.dao.OptimisticLockingFailureException;

/**
 * Thrown when an account has seen a newer holder of its lock than the one that wants to
 * write it. Nothing was written.
 */
class StaleTokenException extends OptimisticLockingFailureException {

	private static final long serialVersionUID = 1L;

	StaleTokenException(long id, long token, long newerToken) {
		super("Account %d is refused to the holder with token %d: its lock has gone to one with token %d".formatted(id,
				token, newerToken));
	}

}
