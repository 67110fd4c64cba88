package io.holdfast.test;

import java.time.Duration;

import io.holdfast.LockAssert;
import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.bind.BindException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Locks for unit tests without an application context.
 */
class TestLocksTests {

	@Test
	void lockIsHeldWhileCodeRuns() {
		TestLocks.whileHeld("order:42", () -> {
			LockAssert.assertHeld("order:42");
			assertThatIllegalStateException().isThrownBy(() -> LockAssert.assertHeld("order:43"));
		});
		assertThatIllegalStateException().isThrownBy(() -> LockAssert.assertHeld("order:42"));
	}

	@Test
	void exceptionOfTheCodeComesOut() {
		assertThatIllegalArgumentException().isThrownBy(() -> TestLocks.whileHeld("order:42", () -> {
			throw new IllegalArgumentException("of the code");
		})).withMessage("of the code");
	}

	@Test
	void propertiesApply() {
		try (TestLocks locks = new TestLocks("holdfast.wait-for=0", "holdfast.lease=1h");
				LockHandle lock = locks.template().acquire(LockRequest.of("a").ownedByHandle())) {
			assertThat(lock.remainingLease()).isGreaterThan(Duration.ofMinutes(50));
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> locks.template().acquire("a"))
				.satisfies((ex) -> assertThat(ex.getWaited()).isLessThan(Duration.ofSeconds(4)));
		}
	}

	@Test
	void unknownPropertiesAreRefused() {
		assertThatExceptionOfType(BindException.class).isThrownBy(() -> new TestLocks("holdfast.wait=0"))
			.havingRootCause()
			.withMessageContaining("holdfast.wait");
		assertThatIllegalArgumentException().isThrownBy(() -> new TestLocks("wait-for=0"))
			.withMessageContaining("wait-for=0");
	}

	@Test
	void onlyPropertiesOfTheTestApply() {
		System.setProperty("holdfast.lease", "1h");
		try (TestLocks locks = new TestLocks(); LockHandle lock = locks.template().acquire("a")) {
			assertThat(lock.remainingLease()).isLessThanOrEqualTo(Duration.ofSeconds(30));
		}
		finally {
			System.clearProperty("holdfast.lease");
		}
	}

	@Test
	void leakedLockIsAnErrorAtTheEnd() {
		TestLocks locks = new TestLocks();
		LockHandle leaked = locks.template().acquire("leaked");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(locks::close)
			.withMessageContainingAll("'leaked'", "thread '" + Thread.currentThread().getName() + "'",
					"at io.holdfast.test.TestLocksTests.leakedLockIsAnErrorAtTheEnd(TestLocksTests.java:");
		assertThat(leaked.isHeld()).isFalse();
	}

}
