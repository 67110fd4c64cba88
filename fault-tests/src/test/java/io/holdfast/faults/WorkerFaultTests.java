package io.holdfast.faults;

/**
 * Drills in which something happens to an application.
 */
class WorkerFaultTests extends AbstractDrillTests {

	WorkerFaultTests() {
		super(new Servers(1));
	}

}
