package io.holdfast.docs.shipping;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.test.TestLocks;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A unit test without an application context.
 */
@Tag("any-jdk")
// snippet: test-locks
class ReturnsTests {

	@AutoClose
	private final TestLocks locks = new TestLocks();

	private final Returns returns = new Returns(this.locks.template());

	@Test
	void acceptsNothingWhileAnotherHasTheOrder() {
		try (LockHandle other = this.locks.template().acquire(LockRequest.of("order:42").ownedByHandle())) {
			assertThat(this.returns.accept("42")).isFalse();
			assertThat(other.isHeld()).isTrue();
		}
	}

	@Test
	void deletesUnderTheLock() {
		TestLocks.whileHeld("order:42", () -> this.returns.delete("42"));
	}

}
// end
