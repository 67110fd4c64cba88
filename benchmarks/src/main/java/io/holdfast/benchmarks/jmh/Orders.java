package io.holdfast.benchmarks.jmh;

import io.holdfast.DistributedLock;

/**
 * Annotated methods, whose work is next to nothing.
 */
class Orders {

	static int work(String id) {
		return id.length();
	}

	@DistributedLock(key = "#id")
	int workOnId(String id) {
		return work(id);
	}

	@DistributedLock(key = "#order.id")
	int workOnOrder(Order order) {
		return work(order.getId());
	}

}
