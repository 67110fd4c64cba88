package io.holdfast.engine.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A few seconds in the life of some instances. All of it follows from its seed.
 */
final class Episode {

	private static final long MILLIS = 1_000_000;

	private static final long SECONDS = 1_000 * MILLIS;

	private static final long LONGEST_TROUBLE = 60 * SECONDS;

	private static final long LONGEST = 1_800 * SECONDS;

	private static final int LAST_LOOKS = 100;

	private static final long MOST_STEPS = 300_000;

	private final long seed;

	private final Plan plan;

	private final Chance chance;

	private final Scheduler scheduler;

	private final Network network;

	private final Team team;

	private final Scene scene;

	private final Checker checker;

	private final Faults faults;

	Episode(long seed) {
		this(seed, SimStore.Mistake.NONE);
	}

	Episode(long seed, SimStore.Mistake mistake) {
		this.seed = seed;
		Chance all = new Chance(seed);
		this.plan = Plan.any(all.split());
		this.chance = all.split();
		this.scheduler = new Scheduler(all.split(), this.plan.pace());
		this.network = new Network(this.scheduler, all.split(), this.plan.weather());
		SimServer server = new SimServer(this.scheduler);
		Circumstances circumstances = new Circumstances(this.plan);
		this.team = new Team(this.scheduler, this.plan, all.split(), this.network, server, mistake);
		this.scene = new Scene(this.scheduler, this.network, server, circumstances, this.plan.mix().keys(),
				this.team::all);
		this.checker = new Checker(this.scheduler, this.scene);
		this.faults = new Faults(this.scheduler, this.plan, all.split(), this.network, server, this.team, this.checker,
				circumstances);
	}

	Outcome run() {
		this.scheduler.note(this.plan.toString());
		this.scheduler.run(new Host("world", 0, 0), this::play, this.team::end);
		List<String> violations = new ArrayList<>(this.scene.violations());
		violations.addAll(this.scheduler.failures());
		return new Outcome(this.seed, violations, this.scheduler.steps(), this.faults.happened(),
				this.scheduler.history(), this.scene.threads().toString());
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
		this.network.calm();
		while (goesOn(LONGEST)) {
			this.scheduler.sleepFor(this.chance.around(20 * MILLIS));
			this.checker.look();
		}
		if (this.scene.violations().isEmpty()) {
			end();
		}
	}

	private boolean goesOn(long longest) {
		return this.team.isBusy() && this.scheduler.now() < longest && this.scheduler.steps() < MOST_STEPS
				&& this.scene.violations().isEmpty();
	}

	private void end() {
		if (this.team.isBusy()) {
			this.scene.violation("callers do not come to an end: %s", this.team.working());
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
	record Outcome(long seed, List<String> violations, long steps, Map<Fault, Integer> faults, String history,
			String threads) {

		@Override
		public String toString() {
			return "%s, seed %d".formatted(this.violations, this.seed);
		}

	}

}
