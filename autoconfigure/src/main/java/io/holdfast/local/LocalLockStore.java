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

	private final LocalView view;

	/**
	 * Under which id it listens, or empty before the first time.
	 */
	private volatile String instanceId = "";

	/**
	 * Create a store.
	 * @param locks where locks are kept; those that share it exclude each other
	 */
	public LocalLockStore(LocalLocks locks) {
		Assert.notNull(locks, "'locks' must not be null");
		this.locks = locks;
		this.view = new LocalView(locks);
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
	public Check check() {
		return Check.PASSED;
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
	public void listen(String instanceId, WakeUpListener listener) {
		this.instanceId = instanceId;
		this.locks.listeners().add(instanceId, listener);
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
