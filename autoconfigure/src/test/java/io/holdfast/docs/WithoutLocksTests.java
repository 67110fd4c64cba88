package io.holdfast.docs;

import io.holdfast.DistributedLock;
import io.holdfast.LockRegistry;
import io.holdfast.LockTemplate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * An application whose locks are switched off.
 */
@Tag("any-jdk")
@SpringBootTest(properties = "holdfast.enabled=false")
@Import(WithoutLocksTests.Counter.class)
class WithoutLocksTests {

	@Autowired
	private Counter counter;

	@Autowired
	private Shipping shipping;

	@Autowired
	private ObjectProvider<LockTemplate> templates;

	@Autowired
	private ObjectProvider<LockRegistry> registries;

	@Test
	void methodsRunWithoutLocks() {
		int before = this.counter.increment();
		assertThat(this.counter.increment()).isEqualTo(before + 1);
		assertThat(this.templates.stream()).isEmpty();
		assertThat(this.registries.stream()).isEmpty();
	}

	@Test
	void codeThatInsistsOnALockFails() {
		assertThatIllegalStateException().isThrownBy(() -> this.shipping.ship(new Order("42")))
			.withMessageStartingWith("Lock 'order:42' is not held by thread");
	}

	@Test
	void annotationsAreNotChecked() {
		int before = this.counter.increment();
		this.counter.broken();
		assertThat(this.counter.increment()).isEqualTo(before + 2);
	}

	static class Counter {

		private int value;

		@DistributedLock("'counter'")
		public int increment() {
			this.value++;
			return this.value;
		}

		@DistributedLock("#notThere")
		public void broken() {
			this.value++;
		}

	}

}
