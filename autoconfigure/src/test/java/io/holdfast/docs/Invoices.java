package io.holdfast.docs;

import io.holdfast.DistributedLock;

// snippet: on-interface
interface Invoices {

	// for every class that implements it
	@DistributedLock(name = "invoice", key = "#id")
	void pay(String id);

}
// end
