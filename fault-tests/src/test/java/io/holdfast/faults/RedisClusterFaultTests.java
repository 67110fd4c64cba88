package io.holdfast.faults;

/**
 * Drills in which slots of a Cluster change their master.
 */
class RedisClusterFaultTests extends AbstractDrillTests {

	RedisClusterFaultTests() {
		super(new Cluster());
	}

}
