package io.holdfast.local;

import java.time.Duration;
import java.util.List;

import io.holdfast.engine.LockStore;
import io.holdfast.engine.StoreView;
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

	private volatile String instanceId = "";

	/**
	 * Create a store.
	 * @param locks where locks are kept; stores that share them exclude each other
	 */
	public LocalLockStore(LocalLocks locks) {
		Assert.notNull(locks, "'locks' must not be null");
		this.locks = locks;
	}

	@Override
	public Outcome acquire(Claim claim) {
		return this.locks.step(claim.keys(), (rules) -> rules.acquire(claim));
	}

	@Override
	public Transfer transfer(HoldId hold, Claim successor, boolean yield) {
		return this.locks.step(hold.keys(), (rules) -> rules.transfer(hold, successor, yield));
	}

	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		List<String> keys = renewals.stream().flatMap((renewal) -> renewal.hold().keys().stream()).toList();
		return this.locks.step(keys, (rules) -> renewals.stream().map(rules::renew).toList());
	}

	@Override
	public boolean release(HoldId hold) {
		return this.locks.step(hold.keys(), (rules) -> rules.release(hold));
	}

	@Override
	public boolean keep(HoldId hold, Duration rest) {
		return this.locks.step(hold.keys(), (rules) -> rules.keep(hold, rest));
	}

	@Override
	public boolean downgrade(HoldId hold, int holdCount, @Nullable String passedTo) {
		return this.locks.step(hold.keys(), (rules) -> rules.downgrade(hold, holdCount, passedTo));
	}

	@Override
	public void withdraw(Claim claim, Duration refused) {
		this.locks.step(claim.keys(), (rules) -> {
			rules.withdraw(claim, refused);
			return claim;
		});
	}

	@Override
	public Check check() {
		return Check.PASSED;
	}

	@Override
	public StoreView view() {
		return new LocalView(this.locks);
	}

	@Override
	public void listen(String instanceId, WakeUpListener listener) {
		this.instanceId = instanceId;
		this.locks.listen(instanceId, listener);
	}

	@Override
	public void stopListening() {
		this.locks.stopListening(this.instanceId);
	}

	@Override
	public Subscription subscription() {
		return (this.locks.listener(this.instanceId) != null) ? Subscription.ACTIVE : Subscription.IDLE;
	}

}
