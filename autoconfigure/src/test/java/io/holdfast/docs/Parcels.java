package io.holdfast.docs;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.LockAssert;

/**
 * Sends parcels, and insists on the lock of their order.
 */
class Parcels {

	private final List<Order> sent = new CopyOnWriteArrayList<>();

	void send(Order order) {
		LockAssert.assertHeld("order:" + order.id());
		this.sent.add(order);
	}

	List<Order> sent() {
		return this.sent;
	}

}
