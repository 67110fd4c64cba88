package io.holdfast.docs;

import io.holdfast.DistributedLock;

// snippet: on-interface
interface Invoices {

	// applies to every class that implements the interface
	@DistributedLock(name = "invoice", key = "#id")
	void pay(String id);

}
// end
