package io.holdfast.autoconfigure.other;

import io.holdfast.DistributedLock;

/**
 * A class with a locked method that only its package sees.
 */
public class PackagePrivate {

	@DistributedLock(key = "'k'")
	void method() {
	}

}
