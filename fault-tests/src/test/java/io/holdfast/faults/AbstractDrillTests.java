package io.holdfast.faults;

import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * All drills of a deployment: {@link Drill} is their table.
 */
@Tag("any-jdk")
@TestInstance(Lifecycle.PER_CLASS)
abstract class AbstractDrillTests {

	@RegisterExtension
	final Bench bench;

	AbstractDrillTests(Deployment deployment) {
		this.bench = new Bench(deployment);
	}

	Stream<Drill> drills() {
		return Drill.of(getClass());
	}

	@ParameterizedTest
	@MethodSource("drills")
	void promisesAreKept(Drill drill) {
		drill.run(this.bench);
	}

}
