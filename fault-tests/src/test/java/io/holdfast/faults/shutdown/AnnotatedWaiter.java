package io.holdfast.faults.shutdown;

import io.holdfast.DistributedLock;

/**
 * Waits as an annotated method does.
 */
class AnnotatedWaiter {

	@DistributedLock(key = "#key", waitFor = "-1")
	String workOn(String key) {
		return "got " + key;
	}

}
