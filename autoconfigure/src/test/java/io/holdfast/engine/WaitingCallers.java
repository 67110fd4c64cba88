package io.holdfast.engine;

import java.time.Duration;
import java.util.List;

import io.holdfast.LockRequest;
import io.holdfast.OnLost;
import io.holdfast.engine.runtime.EngineRuntime;
import io.holdfast.engine.store.LockStore.Grant;
import io.holdfast.engine.store.LockStore.HoldId;
import io.holdfast.local.LocalStores;

/**
 * Callers that wait, without threads that do.
 */
final class WaitingCallers {

	private static final EngineSettings SETTINGS = new EngineSettings("i", Duration.ofSeconds(30), Duration.ZERO, true,
			null, false, OnLost.THROW, 16);

	private final EngineRuntime clock;

	private final Engine engine;

	private final Owner.Factory owners = new Owner.Factory("i");

	WaitingCallers(EngineRuntime clock) {
		this.clock = clock;
		this.engine = new Engine(new LocalStores().open("i"), SETTINGS, List::of, clock, EnginePace.STEADY);
	}

	/**
	 * Create a caller that waits from now on.
	 */
	Acquisition waiting(String... keys) {
		return waiting(this.owners.newHandle(), keys);
	}

	/**
	 * Create a caller whose owner holds something.
	 */
	Acquisition nested(String key) {
		Owner owner = this.owners.newHandle();
		hold(owner, key + "-held");
		return waiting(owner, key);
	}

	private Acquisition waiting(Owner owner, String... keys) {
		return new Acquisition(this.engine, terms(keys), owner,
				new Deadline(this.clock, Duration.ofSeconds(-1), this.engine.shutdown()), () -> {
				});
	}

	/**
	 * Create what somebody holds.
	 */
	Hold hold(String key) {
		return hold(this.owners.newHandle(), key);
	}

	private Hold hold(Owner owner, String key) {
		OwnClaim claim = this.engine.lines().newClaim();
		Hold hold = new Hold(new HoldId(owner.id(), List.of(new Grant(key, 1))), terms(key), owner,
				new Line(this.engine.lines(), null, claim), claim, this.clock,
				new Lease(this.clock, this.clock.nanos(), Duration.ofHours(1)));
		this.engine.holds().add(hold);
		return hold;
	}

	private static Terms terms(String... keys) {
		return Terms.of(LockRequest.of(keys), SETTINGS);
	}

}
