package io.holdfast.docs.slice;

import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;

import static org.assertj.core.api.Assertions.assertThat;

// snippet: slice
@WebMvcTest(controllers = Checkout.class, properties = "holdfast.store=local")
@ImportAutoConfiguration(HoldfastAutoConfiguration.class)
class CheckoutSliceTests {

	@Autowired
	private Checkout checkout;

	@Test
	void locks() {
		assertThat(this.checkout.isLocked()).isTrue();
	}

}
// end
