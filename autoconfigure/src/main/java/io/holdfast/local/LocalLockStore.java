package io.holdfast.local;

import java.time.Duration;
import java.util.List;

import io.holdfast.engine.store.LockStore;
import io.holdfast.engine.store.StoreView;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Locks in memory, which work only inside one JVM: for development, and for tests of code
 * that uses locks.
 *
 * @since 0.1.0
 */
public final class LocalLockStore implements LockStore {

	private final LocalLocks locks;

	private final String instanceId;

	private final LocalView view;

	/**
	 * Create a store.
	 * @param locks where locks are kept; those that share it exclude each other
	 * @param instanceId identity of this instance
	 */
	public LocalLockStore(LocalLocks locks, String instanceId) {
		Assert.notNull(locks, "'locks' must not be null");
		Assert.hasText(instanceId, "'instanceId' must not be null or blank");
		this.locks = locks;
		this.instanceId = instanceId;
		this.view = new LocalView(locks, instanceId);
	}

	@Override
	public Outcome acquire(Claim claim) {
		return this.locks.acquire(claim);
	}

	@Override
	public Transfer transfer(HoldId hold, Claim successor, boolean yield) {
		return this.locks.transfer(hold, successor, yield);
	}

	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		return this.locks.renew(renewals);
	}

	@Override
	public boolean release(HoldId hold) {
		return this.locks.release(hold);
	}

	@Override
	public boolean keep(HoldId hold, Duration rest) {
		return this.locks.keep(hold, rest);
	}

	@Override
	public boolean downgrade(HoldId hold, int holdCount, @Nullable String passedTo) {
		return this.locks.downgrade(hold, holdCount, passedTo);
	}

	@Override
	public void withdraw(Claim claim, Duration refused) {
		this.locks.withdraw(claim, refused);
	}

	@Override
	public void ping() {
		// always there
	}

	@Override
	public boolean canRetain() {
		return true;
	}

	@Override
	public StoreView view() {
		return this.view;
	}

	@Override
	public void listen(WakeUpListener listener) {
		this.locks.listeners().add(this.instanceId, listener);
	}

	@Override
	public void stopListening() {
		this.locks.listeners().remove(this.instanceId);
	}

	@Override
	public Subscription subscription() {
		return this.locks.listeners().contains(this.instanceId) ? Subscription.ACTIVE : Subscription.IDLE;
	}

}
