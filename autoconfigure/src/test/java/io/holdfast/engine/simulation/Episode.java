package io.holdfast.engine.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.holdfast.engine.simulation.check.Checker;
import io.holdfast.engine.simulation.check.Circumstances;
import io.holdfast.engine.simulation.schedule.Chance;
import io.holdfast.engine.simulation.schedule.Host;
import io.holdfast.engine.simulation.schedule.Scheduler;
import io.holdfast.engine.simulation.schedule.Stalls;
import io.holdfast.engine.simulation.store.SimStores;

/**
 * A few seconds in the life of some instances. All of it follows from its seed.
 */
final class Episode {

	private static final long MILLIS = 1_000_000;

	private static final long SECONDS = 1_000 * MILLIS;

	/**
	 * For how long things go wrong.
	 */
	private static final long LONGEST_TROUBLE = 60 * SECONDS;

	/**
	 * How long callers may take in all: very many leases.
	 */
	private static final long LONGEST = 1_800 * SECONDS;

	/**
	 * How often to look at what becomes of that which callers have left.
	 */
	private static final int LAST_LOOKS = 100;

	private static final long MOST_STEPS = 300_000;

	private final long seed;

	private final Plan plan;

	private final Chance chance;

	private final Scheduler scheduler;

	private final SimStores stores;

	private final Errors errors;

	private final Team team;

	private final Checker checker;

	private final Faults faults;

	Episode(long seed) {
		this.seed = seed;
		Chance all = new Chance(seed);
		this.plan = Plan.any(all.split());
		this.chance = all.split();
		this.scheduler = new Scheduler(all.split(), this.plan.pace());
		this.stores = new SimStores(this.scheduler, all.split(), this.plan.kind(), this.plan.weather());
		Circumstances circumstances = new Circumstances(this.plan.poll(), this.plan.callTime(),
				this.plan.losesAnswers());
		this.errors = new Errors(all.split(), this.plan.errors(), circumstances);
		this.team = new Team(this.scheduler, this.plan, all.split(), this.stores, this.errors);
		this.checker = new Checker(this.scheduler, this.stores, circumstances, this.plan.mix().keys(), this.team::all);
		this.faults = new Faults(this.scheduler, this.plan, all.split(), this.stores, this.team, this.checker,
				circumstances);
	}

	/**
	 * Let it take place.
	 */
	Outcome run() {
		this.scheduler.note(this.plan.toString());
		this.scheduler.run(new Host("world", 0, 0, new Stalls()), this::play, this.team::end);
		List<String> violations = new ArrayList<>(this.checker.report().violations());
		violations.addAll(this.scheduler.failures());
		return new Outcome(this.seed, violations, this.scheduler.steps(), this.scheduler.switches(),
				this.faults.happened(), this.scheduler.history().toString(), this.checker.report().threads());
	}

	private void play() {
		for (int i = 0; i < this.plan.instances(); i++) {
			this.team.add(this.checker);
		}
		long meanCalm = this.chance.of(1, 5, 20) * MILLIS;
		while (goesOn(LONGEST_TROUBLE)) {
			this.scheduler.sleepFor(this.chance.around(meanCalm));
			if (this.chance.oneIn(3)) {
				this.faults.happen();
			}
			this.checker.look();
		}
		this.stores.calm();
		this.errors.stop();
		while (goesOn(LONGEST)) {
			this.scheduler.sleepFor(this.chance.around(20 * MILLIS));
			this.checker.look();
		}
		if (this.checker.report().violations().isEmpty()) {
			end();
		}
	}

	private boolean goesOn(long longest) {
		return this.team.isBusy() && this.scheduler.now() < longest && this.scheduler.steps() < MOST_STEPS
				&& this.checker.report().violations().isEmpty();
	}

	private void end() {
		if (this.team.isBusy()) {
			this.checker.report().violation("callers do not come to an end: " + this.team.working());
			return;
		}
		for (int i = 0; i < LAST_LOOKS; i++) {
			this.scheduler.sleepFor(100 * MILLIS);
			this.checker.look();
		}
		this.scheduler.sleepFor(6 * this.plan.mix().lease().toNanos() + 60 * SECONDS);
		this.checker.atTheEnd();
	}

	/**
	 * What came of an episode.
	 *
	 * @param violations what was wrong
	 * @param faults what happened how often
	 * @param history everything
	 * @param threads where all threads were when something was wrong
	 */
	record Outcome(long seed, List<String> violations, long steps, long switches, Map<Fault, Integer> faults,
			String history, String threads) {
	}

}
