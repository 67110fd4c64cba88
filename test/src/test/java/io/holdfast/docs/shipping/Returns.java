package io.holdfast.docs.shipping;

import io.holdfast.LockAssert;
import io.holdfast.LockTemplate;

/**
 * Locks in code, and relies on its callers for a lock.
 */
class Returns {

	private final LockTemplate locks;

	Returns(LockTemplate locks) {
		this.locks = locks;
	}

	boolean accept(String id) {
		return this.locks.tryExecuteWithoutResult("order:" + id, (lock) -> delete(id));
	}

	void delete(String id) {
		LockAssert.assertHeld("order:" + id);
	}

}
