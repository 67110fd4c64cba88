package io.holdfast.test;

import java.util.function.Supplier;

import io.holdfast.DistributedLock;
import io.holdfast.LockAssert;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * A controller with a lock, which is injected by its class although it implements an
 * interface.
 */
@RestController
class Counter implements Supplier<String> {

	@Override
	@GetMapping("/open")
	@DistributedLock("'counter'")
	public String get() {
		LockAssert.assertHeld("counter");
		return "open";
	}

}
