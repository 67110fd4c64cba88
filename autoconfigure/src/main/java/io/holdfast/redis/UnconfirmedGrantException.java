package io.holdfast.redis;

import io.holdfast.engine.store.LockStore.HoldId;
import io.holdfast.engine.store.LockStoreException;

/**
 * Thrown when too few replicas have a grant.
 */
final class UnconfirmedGrantException extends LockStoreException {

	private static final long serialVersionUID = 1L;

	private final transient HoldId granted;

	UnconfirmedGrantException(HoldId granted, String message) {
		super(message, null, true);
		this.granted = granted;
	}

	HoldId granted() {
		return this.granted;
	}

}
