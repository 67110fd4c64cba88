package io.holdfast.actuate;

import io.holdfast.engine.EngineListener;
import io.holdfast.engine.LockOperations;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Announces to other instances who this one is, from its first lock on. Also subscribes
 * this instance, so that it learns at once of locks that operators release by force.
 *
 * @since 0.1.0
 */
public final class InstanceAnnouncer implements EngineListener {

	private final InstanceDetails details;

	private final boolean fromStart;

	private volatile @Nullable LockOperations operations;

	private volatile boolean announced;

	/**
	 * Create an announcer of the engine that it will observe.
	 * @param details the description of this instance
	 * @param fromStart whether to announce the instance when it starts, instead of with
	 * the first lock that it holds or waits for
	 */
	public InstanceAnnouncer(InstanceDetails details, boolean fromStart) {
		Assert.notNull(details, "'details' must not be null");
		this.details = details;
		this.fromStart = fromStart;
	}

	/**
	 * Set the engine that is observed. Before that, nothing is announced.
	 * @param operations the engine, as operators see it
	 */
	public void observe(LockOperations operations) {
		this.operations = operations;
	}

	@Override
	public void started() {
		this.announced = false;
		if (this.fromStart) {
			announce();
		}
	}

	@Override
	public void held(HeldLock lock) {
		announce();
	}

	@Override
	public void waiting(Waiter waiter) {
		announce();
	}

	private void announce() {
		LockOperations present = this.operations;
		if (!this.announced && present != null) {
			present.announce(this.details::toMap);
			this.announced = true;
		}
	}

}
