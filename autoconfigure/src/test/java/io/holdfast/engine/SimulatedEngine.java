package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import io.holdfast.LockListener;

/**
 * Makes registries that do not live in the JVM's own time, for tests in other packages.
 */
public final class SimulatedEngine {

	private SimulatedEngine() {
	}

	public static HoldfastLockRegistry registry(LockStore store, EngineSettings settings,
			Supplier<List<LockListener>> listeners, EngineRuntime runtime, Duration poll) {
		return new HoldfastLockRegistry(store, settings, listeners, new EngineListener[0], runtime, poll);
	}

	public static void end(HoldfastLockRegistry registry) {
		registry.stopBackground();
	}

}
