package io.holdfast.docs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.LockAssert;
import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockView;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The annotation, the template and the views.
 */
@GuideTest
@Tag("slow")
class FirstLockSnippetsTests {

	@Autowired
	private Shipping shipping;

	@Autowired
	private Parcels parcels;

	@Autowired
	private AcquiredLocks acquired;

	@Autowired
	private LockTemplate locks;

	@Autowired
	private LockRegistry registry;

	private final Order order = new Order("42");

	private final Ledger ledger = new Ledger();

	@Test
	void annotation() {
		assertThat(this.acquired.keysBy(() -> this.shipping.ship(this.order))).containsExactly("order:42");
		assertThat(this.parcels.sent()).contains(this.order);
	}

	@Test
	void serviceWithTemplate() {
		Deliveries deliveries = new Deliveries(this.locks, this.parcels);
		assertThat(this.acquired.keysBy(() -> deliveries.deliver(this.order))).containsExactly("order:42");
		assertThat(deliveries.deliverSoon(this.order)).isTrue();
		new OtherInstance(this.locks).whileItHolds("order:42",
				() -> assertThat(deliveries.deliverSoon(this.order)).isFalse());
	}

	@Test
	void template() {
		Order order = this.order;
		// snippet: template
		Receipt receipt = this.locks.execute("order:42", (lock) -> {
			this.ledger.book(order, lock.fencingToken());
			return this.ledger.receipt(order);
		});
		// end
		assertThat(receipt).isEqualTo(new Receipt("42"));
		assertThat(this.ledger.tokens).hasSize(1);
	}

	@Test
	void handle() {
		Order order = this.order;
		// snippet: handle
		LockRequest request = LockRequest.of("order:42").lease(Duration.ofSeconds(10)).waitFor(Duration.ZERO);
		try (LockHandle lock = this.locks.acquire(request)) {
			this.ledger.book(order, lock.fencingToken());
		}
		// end
		assertThat(this.ledger.tokens).hasSize(1);
		new OtherInstance(this.locks).whileItHolds("order:42",
				() -> assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> this.locks.acquire(request)));
	}

	@Test
	void requests() {
		// snippet: requests
		// all or none
		LockRequest both = LockRequest.of("account:1", "account:2");
		this.locks.executeWithoutResult(both,
				(lock) -> move(lock.fencingToken("account:1"), lock.fencingToken("account:2")));

		LockRequest reader = LockRequest.of("catalogue").shared();
		// one try
		boolean done = this.locks.tryExecute(reader, (lock) -> this.ledger.print()).isPresent();
		// end
		assertThat(this.ledger.tokens).hasSize(2);
		assertThat(done).isTrue();
	}

	private void move(long from, long to) {
		LockAssert.assertHeld("account:1");
		LockAssert.assertHeld("account:2");
		this.ledger.tokens.addAll(List.of(from, to));
	}

	@Test
	void view() {
		Order order = this.order;
		// snippet: view
		LockView lock = this.registry.lock("order:42");
		lock.lock();
		try {
			this.ledger.book(order, lock.fencingToken());
		}
		finally {
			// throws IllegalMonitorStateException if the lock was lost
			lock.unlock();
		}
		// end
		assertThat(this.ledger.tokens).hasSize(1);
		assertThat(lock.isHeldByCurrentThread()).isFalse();
	}

	record Receipt(String order) {
	}

	static class Ledger {

		private final List<Long> tokens = new ArrayList<>();

		void book(Order order, long token) {
			LockAssert.assertHeld("order:" + order.id());
			this.tokens.add(token);
		}

		Receipt receipt(Order order) {
			return new Receipt(order.id());
		}

		String print() {
			LockAssert.assertHeld("catalogue");
			return "printed";
		}

	}

}
