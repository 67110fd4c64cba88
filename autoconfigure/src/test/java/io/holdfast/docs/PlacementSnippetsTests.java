package io.holdfast.docs;

import java.time.Duration;

import io.holdfast.DistributedLock;
import io.holdfast.LockAssert;
import io.holdfast.LockSnapshot;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Where the annotation may stand.
 */
@Tag("any-jdk")
@GuideTest
@Import({ PlacementSnippetsTests.Orders.class, Settings.class, PlacementSnippetsTests.PaperInvoices.class,
		PlacementSnippetsTests.Export.class })
class PlacementSnippetsTests {

	@Autowired
	private Orders orders;

	@Autowired
	private Settings settings;

	@Autowired
	private Invoices invoices;

	@Autowired
	private Export export;

	@Autowired
	private AcquiredLocks acquired;

	@Test
	void composedAnnotation() {
		assertThat(this.acquired.by(() -> this.orders.cancel("42"))).singleElement()
			.satisfies((lock) -> assertThat(lock.keys()).containsExactly("order:42"))
			.extracting(LockSnapshot::remainingLease)
			.matches((lease) -> lease.compareTo(Duration.ofSeconds(10)) <= 0);
	}

	@Test
	void type() {
		assertThat(this.acquired.keysBy(() -> this.settings.change("a"))).containsExactly("settings");
		assertThat(this.acquired.keysBy(this.settings::clear)).containsExactly("settings");
		assertThat(this.acquired.keysBy(() -> this.settings.read("a"))).containsExactly("settings:a");
	}

	@Test
	void interfaceMethod() {
		assertThat(this.acquired.keysBy(() -> this.invoices.pay("7"))).containsExactly("invoice:7");
	}

	@Test
	void stop() {
		assertThat(this.acquired.keysBy(() -> this.export.stop(() -> {
		}))).containsExactly("export");
	}

	@Test
	void lockAssert() {
		this.orders.cancel("42");
		assertThatIllegalStateException().isThrownBy(() -> new OrderRepository().delete("42"))
			.withMessageContaining("Lock 'order:42' is not held by thread");
	}

	static class Orders {

		private final OrderRepository repository = new OrderRepository();

		// snippet: composed-use
		@OrderLock("#id")
		public void cancel(String id) {
			this.repository.delete(id);
		}
		// end

	}

	static class Export implements SmartLifecycle {

		private boolean running;

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
		}

		// snippet: lock-while-stopping
		@Override
		@DistributedLock(name = "export")
		public void stop(Runnable callback) {
			SmartLifecycle.super.stop(callback); // calls stop()
		}
		// end

		@Override
		public boolean isRunning() {
			return this.running;
		}

	}

	static class OrderRepository {

		// snippet: lock-assert
		void delete(String id) {
			// throws IllegalStateException if this thread does not hold the lock
			LockAssert.assertHeld("order:" + id);
		}
		// end

	}

	static class PaperInvoices implements Invoices {

		@Override
		public void pay(String id) {
		}

	}

}
