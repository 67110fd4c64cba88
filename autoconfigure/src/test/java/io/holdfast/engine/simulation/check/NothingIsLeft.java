package io.holdfast.engine.simulation.check;

import java.util.List;
import java.util.function.Supplier;

import io.holdfast.engine.EngineStatus;
import io.holdfast.engine.StoreView.KeyState;
import io.holdfast.engine.simulation.load.Instance;
import io.holdfast.engine.simulation.store.SimServer;

/**
 * Once nobody holds a lock or waits for one, nothing tells that anybody ever did.
 */
final class NothingIsLeft extends Rule {

	private final Report report;

	private final SimServer server;

	private final List<String> keys;

	private final Supplier<List<Instance>> instances;

	NothingIsLeft(Report report, SimServer server, List<String> keys, Supplier<List<Instance>> instances) {
		this.report = report;
		this.server = server;
		this.keys = keys;
		this.instances = instances;
	}

	@Override
	void atTheEnd() {
		for (KeyState state : this.server.look(this.keys)) {
			this.report.violation("left in the store: " + state);
		}
		this.instances.get().stream().filter((instance) -> !instance.isDead()).forEach(this::check);
	}

	private void check(Instance instance) {
		EngineStatus status = instance.registry().status();
		if (status.held() + status.acquiring() + status.waiting() > 0) {
			this.report.violation("left in " + instance + ": " + status + instance.registry().held());
		}
		new Residue().of(instance.registry())
			.forEach((path) -> this.report.violation("left in " + instance + ": " + path));
	}

}
