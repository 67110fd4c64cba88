package io.holdfast.faults;

/**
 * Drills in which another server becomes the master.
 */
class SentinelFaultTests extends AbstractDrillTests {

	SentinelFaultTests() {
		super(new Sentinels());
	}

}
