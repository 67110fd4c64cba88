package io.holdfast.docs;

import io.holdfast.DistributedLock;

import org.springframework.stereotype.Service;

// snippet: annotation
@Service
class Shipping {

	private final Parcels parcels;

	Shipping(Parcels parcels) {
		this.parcels = parcels;
	}

	@DistributedLock(name = "order", key = "#order.id")
	public void ship(Order order) {
		// one call at a time for each order, across all instances
		this.parcels.send(order);
	}

}
// end
