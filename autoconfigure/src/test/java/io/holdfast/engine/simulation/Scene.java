package io.holdfast.engine.simulation;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What rules look at, and what they have found to be wrong.
 */
final class Scene {

	private final Scheduler scheduler;

	private final Network network;

	private final SimServer server;

	private final Circumstances circumstances;

	private final List<String> keys;

	private final Supplier<List<Instance>> instances;

	private final List<Section> open = new ArrayList<>();

	private final Set<Attempt> asking = new LinkedHashSet<>();

	private final List<String> violations = new ArrayList<>();

	private String threads = "";

	Scene(Scheduler scheduler, Network network, SimServer server, Circumstances circumstances, List<String> keys,
			Supplier<List<Instance>> instances) {
		this.scheduler = scheduler;
		this.network = network;
		this.server = server;
		this.circumstances = circumstances;
		this.keys = keys;
		this.instances = instances;
	}

	long now() {
		return this.scheduler.now();
	}

	SimServer server() {
		return this.server;
	}

	Grants grants() {
		return this.server.grants();
	}

	Circumstances circumstances() {
		return this.circumstances;
	}

	List<String> keys() {
		return this.keys;
	}

	Stream<Instance> instances() {
		return this.instances.get().stream().filter((instance) -> !instance.isDead());
	}

	boolean isQuiet() {
		return this.scheduler.isQuiet();
	}

	boolean isCut() {
		return this.network.isCut();
	}

	Set<Attempt> asking() {
		return this.asking;
	}

	/**
	 * Return the sections that callers are in, also those that have lost their lock, or
	 * whose caller has died.
	 */
	List<Section> open() {
		return this.open;
	}

	Stream<Section> held() {
		return this.open.stream().filter((section) -> !section.attempt().instance().isDead()).filter(Section::isHeld);
	}

	void violation(String what, Object... details) {
		if (this.violations.isEmpty()) {
			this.threads = this.scheduler.threadDump();
		}
		String text = what.formatted(details);
		this.scheduler.note("WRONG: " + text);
		this.violations.add("at " + this.scheduler.now() / 1000 + ": " + text);
	}

	List<String> violations() {
		return this.violations;
	}

	String threads() {
		return this.threads;
	}

}
