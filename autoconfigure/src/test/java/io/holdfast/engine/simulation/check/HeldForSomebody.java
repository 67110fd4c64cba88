package io.holdfast.engine.simulation.check;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.holdfast.engine.StoreView.Holder;
import io.holdfast.engine.StoreView.KeyState;
import io.holdfast.engine.simulation.load.Instance;
import io.holdfast.engine.simulation.load.Section;
import io.holdfast.engine.simulation.store.Grants;
import io.holdfast.engine.simulation.store.Grants.Grant;
import io.holdfast.engine.simulation.store.SimStores;

/**
 * What the server has granted to an instance that lives and reaches it is for a section,
 * or for somebody who asks; or it is given back soon.
 */
final class HeldForSomebody extends Rule {

	/**
	 * After an outage, a release may be repeated two seconds later, and that repetition
	 * may be lost as well.
	 */
	private static final long SLACK = 5_000_000_000L;

	private static final int CALLS = 20;

	private final Report report;

	private final OpenSections open;

	private final SimStores stores;

	private final Grants grants;

	private final List<String> keys;

	private final Supplier<List<Instance>> instances;

	private final Circumstances circumstances;

	private final Map<Held, Long> unused = new HashMap<>();

	HeldForSomebody(Report report, OpenSections open, SimStores stores, List<String> keys,
			Supplier<List<Instance>> instances, Circumstances circumstances) {
		this.report = report;
		this.open = open;
		this.stores = stores;
		this.grants = stores.server().grants();
		this.keys = keys;
		this.instances = instances;
		this.circumstances = circumstances;
	}

	@Override
	void look() {
		Set<Held> seen = new HashSet<>();
		if (!this.stores.isCut() && !this.circumstances.isDataLost() && !this.circumstances.isClockSet()
				&& !this.circumstances.areErrorsThrown()) {
			this.instances.get()
				.stream()
				.filter((instance) -> !instance.isDead() && !instance.isStopping())
				.forEach((instance) -> look(instance, seen));
		}
		this.unused.keySet().retainAll(seen);
	}

	private void look(Instance instance, Set<Held> seen) {
		for (KeyState state : this.stores.server().look(this.keys)) {
			for (Holder holder : state.holders()) {
				if (holder.owner().startsWith(instance + ":") && !holder.kept()
						&& !isUsed(instance, state.key(), holder)) {
					Held held = new Held(state.key(), holder.token());
					seen.add(held);
					long now = timeOf(instance);
					if (now - this.unused.computeIfAbsent(held, (none) -> now) > longest()) {
						this.report.violation("held for nobody: %s as %s".formatted(holder, state));
					}
				}
			}
		}
	}

	/**
	 * Return for how long an instance was able to do something.
	 */
	private long timeOf(Instance instance) {
		return this.report.now() - instance.host().stalls().before(this.report.now());
	}

	private long longest() {
		return SLACK + CALLS * this.circumstances.callTime() + this.circumstances.retries();
	}

	private boolean isUsed(Instance instance, String key, Holder holder) {
		Grant grant = this.grants.find(key, holder.owner(), holder.token());
		return grant == null || grant.isStray()
				|| this.open.asking()
					.anyMatch((attempt) -> attempt.instance() == instance && attempt.keys().contains(key))
				|| this.open.all()
					.anyMatch((section) -> section.attempt().instance() == instance && isUnder(section, grant));
	}

	private boolean isUnder(Section section, Grant grant) {
		Long token = section.tokens().get(grant.key());
		return token != null && this.grants.find(grant.key(), section.owner(), token) == grant;
	}

	private record Held(String key, long token) {
	}

}
