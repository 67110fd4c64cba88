package io.holdfast.faults;

import org.junit.jupiter.api.Tag;

/**
 * Drills in which another server becomes the master.
 */
@Tag("long")
class SentinelFaultTests extends AbstractDrillTests {

	SentinelFaultTests() {
		super(new Sentinels());
	}

}
