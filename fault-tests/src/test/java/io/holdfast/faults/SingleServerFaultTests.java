package io.holdfast.faults;

/**
 * Drills in which something happens to one server.
 */
class SingleServerFaultTests extends AbstractDrillTests {

	SingleServerFaultTests() {
		super(new Servers(1));
	}

}
