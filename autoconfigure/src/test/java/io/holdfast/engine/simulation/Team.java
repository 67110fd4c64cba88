package io.holdfast.engine.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.OnLost;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.SimulatedEngine;

/**
 * The instances of an episode, those included that have gone.
 */
final class Team {

	private static final Duration WAIT_FOR = Duration.ofSeconds(5);

	private final Scheduler scheduler;

	private final Plan plan;

	private final Chance chance;

	private final Network network;

	private final SimServer server;

	private final SimStore.Mistake mistake;

	private final List<Instance> instances = new ArrayList<>();

	private final List<SimStore> stores = new ArrayList<>();

	Team(Scheduler scheduler, Plan plan, Chance chance, Network network, SimServer server, SimStore.Mistake mistake) {
		this.scheduler = scheduler;
		this.plan = plan;
		this.chance = chance;
		this.network = network;
		this.server = server;
		this.mistake = mistake;
	}

	List<Instance> all() {
		return this.instances;
	}

	List<Instance> alive() {
		return this.instances.stream().filter((instance) -> !instance.isDead() && !instance.isStopping()).toList();
	}

	void add(Checker checker) {
		String id = String.valueOf((char) ('a' + this.instances.size()));
		Host host = new Host(id, this.chance.of(0, 1L << 40, Long.MAX_VALUE - 1_000_000_000),
				this.chance.of(0, 0, 5_000, -5_000));
		EngineSettings settings = new EngineSettings(() -> id, this.plan.mix().lease(), WAIT_FOR, true, null, false,
				this.chance.oneIn(4) ? OnLost.INTERRUPT : OnLost.THROW, (int) this.chance.of(0, 1, 16),
				Duration.ofMillis(this.chance.of(0, 50, 50, 1000)), null, null);
		SimStore store = new SimStore(this.scheduler, this.network, this.server, host, this.plan.kind(), this.mistake);
		Instance instance = new Instance(this.scheduler, host, store, settings, this.plan.poll(), checker);
		this.stores.add(store);
		this.instances.add(instance);
		instance.call(this.plan.callers(), () -> new Caller(instance, this.chance.split(), this.plan.mix()));
	}

	void breakSubscriptions() {
		this.stores.forEach(SimStore::breakSubscription);
	}

	List<Thread> working() {
		return this.instances.stream()
			.filter((instance) -> !instance.isDead())
			.flatMap((instance) -> instance.working().stream())
			.toList();
	}

	boolean isBusy() {
		return !working().isEmpty();
	}

	void end() {
		this.instances.forEach((instance) -> SimulatedEngine.end(instance.registry()));
	}

}
