package io.holdfast.smoke;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.test.AutoConfigureLocks;
import io.holdfast.test.TestLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a user of the module for tests does first, without a Redis.
 */
@SpringBootTest(classes = SmokeTests.Application.class,
		properties = { "holdfast.wait-for=0", "spring.data.redis.port=1" })
@AutoConfigureLocks
class LocksInMemoryTests {

	@Autowired
	private SmokeTests.Orders orders;

	@Autowired
	private LockTemplate locks;

	@Test
	void annotatedMethodHasTheLock() {
		assertThat(this.orders.ship("42")).containsExactly("order:42");
		try (LockHandle held = this.locks.acquire(LockRequest.of("order:42").ownedByHandle())) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.orders.ship("42"));
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	void leakedLockIsAnError() {
		TestLocks own = new TestLocks();
		own.template().acquire("leaked");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(own::close)
			.withMessageContainingAll("'leaked'", "LocksInMemoryTests.java");
	}

}
