package io.holdfast.benchmarks.jmh;

/**
 * An argument with a property that is a lock's key.
 */
public class Order {

	private final String id;

	public Order(String id) {
		this.id = id;
	}

	public String getId() {
		return this.id;
	}

}
