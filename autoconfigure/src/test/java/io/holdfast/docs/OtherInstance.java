package io.holdfast.docs;

import java.time.Duration;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;

/**
 * Wants the same locks as the application, without being any of its threads.
 *
 * @param locks where both get them
 */
record OtherInstance(LockTemplate locks) {

	boolean canLock(String key) {
		LockRequest oneTry = LockRequest.of(key).ownedByHandle().waitFor(Duration.ZERO);
		return this.locks.tryExecute(oneTry, LockHandle::isHeld).orElse(false);
	}

}
