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
		// nobody else ships this order meanwhile, in no instance
		this.parcels.send(order);
	}

}
// end
