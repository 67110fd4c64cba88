package io.holdfast.docs.slice;

import io.holdfast.DistributedLock;
import io.holdfast.LockAssert;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * A controller with a lock.
 */
@RestController
class Checkout {

	@GetMapping("/checkout")
	@DistributedLock("'checkout'")
	public boolean isLocked() {
		try {
			LockAssert.assertHeld("checkout");
			return true;
		}
		catch (IllegalStateException ex) {
			return false;
		}
	}

}
