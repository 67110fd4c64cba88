package io.holdfast.redis;

import java.util.List;

import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStoreException;

/**
 * Thrown when too few replicas have a grant.
 */
final class UnconfirmedGrantException extends LockStoreException {

	private static final long serialVersionUID = 1L;

	private final transient List<Grant> granted;

	UnconfirmedGrantException(List<Grant> granted, String message) {
		super(message, null, true);
		this.granted = granted;
	}

	List<Grant> granted() {
		return this.granted;
	}

}
