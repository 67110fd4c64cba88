package io.holdfast.engine.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.OnLost;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.SimulatedEngine;
import io.holdfast.engine.simulation.load.Caller;
import io.holdfast.engine.simulation.load.Instance;
import io.holdfast.engine.simulation.load.Observer;
import io.holdfast.engine.simulation.schedule.Chance;
import io.holdfast.engine.simulation.schedule.Host;
import io.holdfast.engine.simulation.schedule.Scheduler;
import io.holdfast.engine.simulation.schedule.SimRuntime;
import io.holdfast.engine.simulation.schedule.Stalls;
import io.holdfast.engine.simulation.store.SimStores;

/**
 * The instances of an episode, those included that have gone.
 */
final class Team {

	private static final Duration WAIT_FOR = Duration.ofSeconds(5);

	private final Scheduler scheduler;

	private final Plan plan;

	private final Chance chance;

	private final SimStores stores;

	private final Errors errors;

	private final Stalls stallsOfAll = new Stalls();

	private final List<Instance> instances = new ArrayList<>();

	Team(Scheduler scheduler, Plan plan, Chance chance, SimStores stores, Errors errors) {
		this.scheduler = scheduler;
		this.plan = plan;
		this.chance = chance;
		this.stores = stores;
		this.errors = errors;
	}

	List<Instance> all() {
		return this.instances;
	}

	/**
	 * Return those that neither have died nor are going to stop.
	 */
	List<Instance> alive() {
		return this.instances.stream().filter((instance) -> !instance.isDead() && !instance.isStopping()).toList();
	}

	/**
	 * Add an instance, with callers that begin at once.
	 */
	void add(Observer observer) {
		String id = String.valueOf((char) ('a' + this.instances.size()));
		Host host = new Host(id, this.chance.of(0, 1L << 40, Long.MAX_VALUE - 1_000_000_000),
				this.chance.of(0, 0, 5_000, -5_000), (this.plan.weather() != null) ? new Stalls() : this.stallsOfAll);
		EngineSettings settings = new EngineSettings(() -> id, this.plan.mix().lease(), WAIT_FOR, true, null, false,
				this.chance.oneIn(4) ? OnLost.INTERRUPT : OnLost.THROW, (int) this.chance.of(0, 1, 16),
				Duration.ofMillis(this.chance.of(0, 50, 50, 1000)));
		Instance instance = new Instance(this.scheduler, host, this.stores.open(host, this.errors), settings,
				new SimRuntime(this.scheduler, host), this.plan.poll(), observer);
		this.instances.add(instance);
		instance.call(this.plan.callers(),
				() -> new Caller(this.scheduler, instance, this.chance.split(), this.plan.mix(), observer));
	}

	/**
	 * Return the threads that still use locks.
	 */
	List<Thread> working() {
		return this.instances.stream()
			.filter((instance) -> !instance.isDead())
			.flatMap((instance) -> instance.working().stream())
			.toList();
	}

	/**
	 * Have nothing done in the background any more.
	 */
	void end() {
		this.instances.forEach((instance) -> SimulatedEngine.end(instance.registry()));
	}

	/**
	 * Return whether somebody still does something in an instance that has not died.
	 */
	boolean isBusy() {
		return !working().isEmpty();
	}

}
