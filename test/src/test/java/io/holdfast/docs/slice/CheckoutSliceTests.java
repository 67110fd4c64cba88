package io.holdfast.docs.slice;

import io.holdfast.test.AutoConfigureLocks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("any-jdk")
// snippet: slice
@WebMvcTest(Checkout.class)
@AutoConfigureLocks
class CheckoutSliceTests {

	@Autowired
	private Checkout checkout;

	@Test
	void locks() {
		assertThat(this.checkout.isLocked()).isTrue();
	}

}
// end
