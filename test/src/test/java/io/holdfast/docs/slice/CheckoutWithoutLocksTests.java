package io.holdfast.docs.slice;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A slice that has no locks.
 */
@Tag("any-jdk")
@WebMvcTest(controllers = Checkout.class)
class CheckoutWithoutLocksTests {

	@Autowired
	private Checkout checkout;

	@Test
	void runsWithoutTheLock() {
		assertThat(this.checkout.isLocked()).isFalse();
	}

}
