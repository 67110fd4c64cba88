package io.holdfast.docs.shipping;

import io.holdfast.DistributedLock;

import org.springframework.stereotype.Service;

/**
 * As in the guide.
 */
@Service
class Shipping {

	@DistributedLock(name = "order", key = "#order.id")
	public void ship(Order order) {
	}

}
