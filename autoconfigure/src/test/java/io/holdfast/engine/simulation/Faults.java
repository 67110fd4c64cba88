package io.holdfast.engine.simulation;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.holdfast.engine.LockStoreException;

/**
 * Makes things go wrong.
 */
final class Faults {

	private static final long MILLIS = 1_000_000;

	private static final int MOST_INSTANCES = 8;

	private static final int MOST_FAULTS = 12;

	private final Scheduler scheduler;

	private final Plan plan;

	private final Chance chance;

	private final Network network;

	private final SimServer server;

	private final Team team;

	private final Checker checker;

	private final Circumstances circumstances;

	private final Map<Fault, Integer> happened = new EnumMap<>(Fault.class);

	private int left;

	Faults(Scheduler scheduler, Plan plan, Chance chance, Network network, SimServer server, Team team, Checker checker,
			Circumstances circumstances) {
		this.scheduler = scheduler;
		this.plan = plan;
		this.chance = chance;
		this.network = network;
		this.server = server;
		this.team = team;
		this.checker = checker;
		this.circumstances = circumstances;
		this.left = chance.between(1, MOST_FAULTS);
	}

	Map<Fault, Integer> happened() {
		return this.happened;
	}

	void happen() {
		List<Instance> alive = this.team.alive();
		if (this.plan.faults().isEmpty() || alive.isEmpty() || this.left == 0) {
			return;
		}
		this.left--;
		Fault fault = this.chance.of(List.copyOf(this.plan.faults()));
		Instance instance = this.chance.of(alive);
		this.scheduler.note("fault " + fault + " at " + instance);
		this.happened.merge(fault, 1, Integer::sum);
		if (fault != Fault.INTERRUPT) {
			this.circumstances.disturbed = true;
		}
		happen(fault, instance);
	}

	private void happen(Fault fault, Instance instance) {
		switch (fault) {
			case INTERRUPT -> interrupt(instance);
			case STALL -> this.scheduler.stall(instance.host(), time());
			case FORCED_RELEASE -> forceRelease(instance);
			case SHUTDOWN -> shutDown(instance);
			case CRASH -> crash(instance);
			case CUT_OFF -> this.network.cutOff(instance.host().name(), time());
			case FREEZE -> this.network.freezeServer(time());
			case BROKEN_SUBSCRIPTION -> this.team.breakSubscriptions();
			case DATA_LOSS -> {
				this.circumstances.dataLost = true;
				this.server.restartEmpty();
				this.team.breakSubscriptions();
			}
			case FAILOVER -> {
				this.circumstances.dataLost = true;
				this.server.failOver(this.chance.around(5 * MILLIS));
				this.team.breakSubscriptions();
			}
			case CLOCK -> setClock();
		}
	}

	private long time() {
		long lease = this.plan.mix().lease().toNanos();
		return Math.min(3 * lease, this.chance.around(lease / this.chance.of(1, 3, 30)));
	}

	private void interrupt(Instance instance) {
		List<Thread> callers = instance.callers();
		if (!callers.isEmpty()) {
			instance.interrupt(this.chance.of(callers));
		}
	}

	private void forceRelease(Instance instance) {
		String key = this.chance.of(this.plan.mix().keys());
		instance.start("operator", () -> {
			try {
				instance.registry().operations().forceRelease(key, null, Duration.ofSeconds(10));
			}
			catch (LockStoreException ex) {
				this.scheduler.note("could not release by force");
			}
		});
	}

	private void shutDown(Instance instance) {
		if (this.team.all().size() < MOST_INSTANCES) {
			Duration grace = Duration.ofNanos(this.chance.around(10 * MILLIS));
			if (this.chance.oneIn(2)) {
				instance.stop(grace);
			}
			else {
				instance.stopFromInside(grace);
			}
			this.team.add(this.checker);
		}
	}

	private void crash(Instance instance) {
		if (this.team.all().size() < MOST_INSTANCES) {
			instance.host().die();
			this.team.add(this.checker);
		}
	}

	private void setClock() {
		long nanos = this.chance.around(this.plan.mix().lease().toNanos()) * (this.chance.oneIn(2) ? 1 : -1);
		this.circumstances.clockSet = true;
		this.circumstances.clockSetBack |= nanos < 0;
		this.server.setClock(nanos);
	}

}
