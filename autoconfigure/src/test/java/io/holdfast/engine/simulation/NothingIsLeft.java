package io.holdfast.engine.simulation;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.holdfast.LockSnapshot;
import io.holdfast.engine.HoldfastLockRegistry.Status;
import io.holdfast.engine.StoreView.KeyState;

/**
 * Once nobody holds a lock or waits for one, nothing tells that anybody ever did.
 */
final class NothingIsLeft extends Rule {

	private static final long LONGEST_SHUTDOWN = 13_000_000_000L;

	/**
	 * Whose lease was over, and of which keys. An instance relies on a lease for a little
	 * less time than the store keeps the lock, and leaves that rest to the store.
	 */
	private final Set<String> expired = new HashSet<>();

	/**
	 * Those of which nothing was left any more.
	 */
	private final Set<Instance> done = new HashSet<>();

	/**
	 * A request that was under way for long leaves nothing once it was withdrawn.
	 */
	@Override
	void look() {
		if (!this.circumstances.repeated && !this.circumstances.dataLost && !this.circumstances.clockSet) {
			this.scene.instances().filter((instance) -> instance.working().isEmpty()).forEach(this::lookAt);
		}
	}

	private void lookAt(Instance instance) {
		List<KeyState> left = this.scene.server()
			.look(this.scene.keys())
			.stream()
			.filter((state) -> isLeft(state, instance + ":"))
			.toList();
		if (this.done.contains(instance)) {
			left.forEach((state) -> this.scene.violation("came late to %s: %s", instance, state));
		}
		else if (left.isEmpty() && new Residue().of(instance.registry()).isEmpty()) {
			this.done.add(instance);
		}
	}

	@Override
	void lost(Instance instance, LockSnapshot lock, Throwable cause) {
		if (lock.remainingLease().isZero()) {
			lock.keys().forEach((key) -> this.expired.add(lock.owner() + key));
		}
	}

	/**
	 * A shutdown gives everything back, if the store answers and there is nothing that
	 * has failed and is to be tried again later, and takes no time for which users would
	 * kill the application. One by an interrupted thread does not wait for others. A
	 * request has no answer yet while it wakes an instance that stands still.
	 */
	@Override
	void stopped(Instance instance, long late) {
		if (late > LONGEST_SHUTDOWN + instance.host().stalled()) {
			this.scene.violation("shutdown of %s took %d us more than its grace", instance, late / 1000);
		}
		boolean waits = !Thread.currentThread().isInterrupted();
		boolean asks = instance.registry().status().acquiring() > 0;
		if (waits && !asks && this.circumstances.answered) {
			this.scene.server()
				.look(this.scene.keys())
				.stream()
				.filter((state) -> isLeft(state, instance + ":"))
				.forEach((state) -> this.scene.violation("left by a shutdown of %s: %s", instance, state));
		}
	}

	private boolean isLeft(KeyState state, String prefix) {
		return state.holders()
			.stream()
			.filter((holder) -> !holder.kept() && !this.expired.contains(holder.owner() + state.key()))
			.anyMatch((holder) -> holder.owner().startsWith(prefix))
				|| state.waiters().stream().anyMatch((place) -> place.startsWith(prefix));
	}

	@Override
	void atTheEnd() {
		for (KeyState state : this.scene.server().look(this.scene.keys())) {
			this.scene.violation("left in the store: %s", state);
		}
		this.scene.instances().forEach(this::check);
	}

	private void check(Instance instance) {
		Status status = instance.registry().status();
		if (status.held() + status.acquiring() + status.waiting() > 0) {
			this.scene.violation("left in %s: %s%s", instance, status, instance.registry().held());
		}
		new Residue().of(instance.registry()).forEach((path) -> this.scene.violation("left in %s: %s", instance, path));
	}

}
