package io.holdfast.engine.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.holdfast.engine.StoreView.Holder;
import io.holdfast.engine.StoreView.KeyState;
import io.holdfast.engine.simulation.Grants.Grant;

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

	private final Map<Held, Long> unused = new HashMap<>();

	@Override
	void look() {
		Set<Held> seen = new HashSet<>();
		if (!this.scene.network().isCut() && !this.circumstances.dataLost && !this.circumstances.clockSet) {
			this.scene.instances()
				.filter((instance) -> !instance.isStopping())
				.forEach((instance) -> look(instance, seen));
		}
		this.unused.keySet().retainAll(seen);
	}

	private void look(Instance instance, Set<Held> seen) {
		for (KeyState state : this.scene.server().look(this.scene.keys())) {
			for (Holder holder : state.holders()) {
				if (holder.owner().startsWith(instance + ":") && !holder.kept()
						&& !isUsed(instance, state.key(), holder)) {
					Held held = new Held(state.key(), holder.token());
					seen.add(held);
					long now = timeOf(instance);
					if (now - this.unused.computeIfAbsent(held, (none) -> now) > longest()) {
						this.scene.violation("held for nobody: %s as %s", holder, state);
					}
				}
			}
		}
	}

	private long timeOf(Instance instance) {
		return this.scene.now() - instance.host().stalledBefore(this.scene.now());
	}

	private long longest() {
		return SLACK + CALLS * this.circumstances.callTime;
	}

	private boolean isUsed(Instance instance, String key, Holder holder) {
		Grant grant = this.scene.grants().find(key, holder.owner(), holder.token());
		return grant == null || grant.stray
				|| this.scene.asking()
					.stream()
					.anyMatch((attempt) -> attempt.instance() == instance && attempt.keys().contains(key))
				|| this.scene.open()
					.stream()
					.anyMatch((section) -> section.attempt().instance() == instance && isUnder(section, grant));
	}

	private boolean isUnder(Section section, Grant grant) {
		Long token = section.tokens().get(grant.key());
		return token != null && this.scene.grants().find(grant.key(), section.owner(), token) == grant;
	}

	private record Held(String key, long token) {
	}

}
