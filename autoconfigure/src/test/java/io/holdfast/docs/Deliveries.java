package io.holdfast.docs;

import java.time.Duration;

import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;

import org.springframework.stereotype.Service;

@Service
class Deliveries {

	private final LockTemplate locks;

	private final Parcels parcels;

	Deliveries(LockTemplate locks, Parcels parcels) {
		this.locks = locks;
		this.parcels = parcels;
	}

	// snippet: service-with-template
	/** Waits for the lock as long as holdfast.wait-for says. */
	void deliver(Order order) {
		this.locks.executeWithoutResult("order:" + order.id(), (lock) -> this.parcels.send(order));
	}

	/** Waits for a second at most, and says whether it got the lock. */
	boolean deliverSoon(Order order) {
		LockRequest request = LockRequest.of("order:" + order.id()).waitFor(Duration.ofSeconds(1));
		return this.locks.tryExecuteWithoutResult(request, (lock) -> this.parcels.send(order));
	}
	// end

}
