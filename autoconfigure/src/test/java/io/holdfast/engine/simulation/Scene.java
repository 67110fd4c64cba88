package io.holdfast.engine.simulation;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What rules look at, and what they have found to be wrong.
 *
 * @param keys what is locked
 * @param all the instances, those included that have died
 * @param open the sections that callers are in, also those that have lost their lock, or
 * whose caller has died
 * @param asking who asks for a lock, also those that have died
 * @param threads where all threads were when something was wrong for the first time
 */
record Scene(Scheduler scheduler, Network network, SimServer server, Circumstances circumstances, List<String> keys,
		Supplier<List<Instance>> all, List<Section> open, Set<Attempt> asking, List<String> violations,
		StringBuilder threads) {

	Scene(Scheduler scheduler, Network network, SimServer server, Circumstances circumstances, List<String> keys,
			Supplier<List<Instance>> all) {
		this(scheduler, network, server, circumstances, keys, all, new ArrayList<>(), new LinkedHashSet<>(),
				new ArrayList<>(), new StringBuilder());
	}

	long now() {
		return this.scheduler.now();
	}

	Grants grants() {
		return this.server.grants();
	}

	Stream<Instance> instances() {
		return this.all.get().stream().filter((instance) -> !instance.isDead());
	}

	Stream<Section> held() {
		return this.open.stream().filter((section) -> !section.attempt().instance().isDead()).filter(Section::isHeld);
	}

	void violation(String what, Object... details) {
		if (this.violations.isEmpty()) {
			this.threads.append(this.scheduler.threadDump());
		}
		String text = what.formatted(details);
		this.scheduler.note("WRONG: " + text);
		this.violations.add("at " + now() / 1000 + ": " + text);
	}

}
