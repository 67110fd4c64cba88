package io.holdfast.docs.shipping;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.test.AutoConfigureLocks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A test of an annotated service, with locks in memory.
 */
@Tag("any-jdk")
// snippet: auto-configure-locks
@SpringBootTest(properties = "holdfast.wait-for=0")
@AutoConfigureLocks
class ShippingTests {

	@Autowired
	private Shipping shipping;

	@Autowired
	private LockTemplate locks;

	@Test
	void shipsNothingWhileAnotherHasTheOrder() {
		try (LockHandle other = this.locks.acquire(LockRequest.of("order:42").ownedByHandle())) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.shipping.ship(new Order("42")));
			assertThat(other.isHeld()).isTrue();
		}
	}

}
// end
