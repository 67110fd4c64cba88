package io.holdfast.faults;

/**
 * Drills with independent masters.
 */
class MastersFaultTests extends AbstractDrillTests {

	MastersFaultTests() {
		super(new Servers(5));
	}

}
