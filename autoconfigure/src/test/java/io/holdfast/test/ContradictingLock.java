package io.holdfast.test;

import io.holdfast.DistributedLock;

/**
 * Has an annotation that Spring cannot read. Not where an application of a test scans for
 * components: it would not start.
 */
public class ContradictingLock {

	@DistributedLock(value = "'a'", key = "'b'")
	public void work() {
		// Never called
	}

}
