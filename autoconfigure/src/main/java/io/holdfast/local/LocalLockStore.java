package io.holdfast.local;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.holdfast.LockMode;
import io.holdfast.engine.LockStore;
import io.holdfast.engine.StoreView;
import io.holdfast.local.LocalLock.Share;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Locks in memory, which work only inside one JVM: for development, and for tests of code
 * that uses locks.
 *
 * @since 0.1.0
 */
public final class LocalLockStore implements LockStore {

	private static final Duration RELEASE_REMEMBERED = Duration.ofSeconds(10);

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
		return this.locks.step((now, wakeUps) -> new LocalAcquisition(this.locks, claim, now, wakeUps).run());
	}

	@Override
	public Transfer transfer(HoldId hold, Claim successor, boolean yield) {
		return this.locks.step((now, wakeUps) -> transfer(hold, successor, yield, now, wakeUps));
	}

	private Transfer transfer(HoldId hold, Claim successor, boolean yield, long now, List<WakeUp> wakeUps) {
		Grant grant = hold.grants().get(0);
		LocalLock lock = this.locks.lock(grant.key(), now);
		if (lock.held(hold.holder(), grant.token()) == null) {
			return transferred(grant, successor, lock);
		}
		lock.takeAway(hold.holder());
		QueuePlace place = Objects.requireNonNull(successor.place());
		lock.giveUpPlace(place);
		if (lock.hasWaiters() && (yield || lock.hasFairWaiters())) {
			lock.keepPlace(successor, place, now);
			lock.wakeFront(wakeUps);
			return new Yielded();
		}
		Share share = new Share(successor.holder(), successor.name(), this.locks.nextTokens(grant.token()),
				now + LocalLocks.nanos(successor.lease()), true);
		lock.grant(successor.mode(), share);
		return granted(successor, share, this.locks.lastToken(), lock);
	}

	/**
	 * Return what an earlier transfer has granted the successor, if there was one.
	 */
	private Transfer transferred(Grant grant, Claim successor, LocalLock lock) {
		Share share = lock.granted(successor);
		this.locks.forgetUnused(lock);
		return (share != null && share.token() > grant.token() && share.holder().equals(successor.holder()))
				? granted(successor, share, share.token(), lock) : new NotHeld();
	}

	private static Granted granted(Claim successor, Share share, long lastToken, LocalLock lock) {
		return new Granted(successor.granted(List.of(new Grant(lock.key(), share.token()))), lastToken,
				lock.hasWaiters());
	}

	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		return this.locks.step((now, wakeUps) -> renewals.stream().map((renewal) -> renew(renewal, now)).toList());
	}

	private RenewalOutcome renew(Renewal renewal, long now) {
		return renewal.hold()
			.grants()
			.stream()
			.map((grant) -> renew(renewal, grant, now))
			.reduce(RenewalOutcome::and)
			.orElseThrow();
	}

	private RenewalOutcome renew(Renewal renewal, Grant grant, long now) {
		LocalLock lock = this.locks.lock(grant.key(), now);
		Share share = lock.held(renewal.hold().holder(), grant.token());
		if (share == null) {
			this.locks.forgetUnused(lock);
			return new Gone();
		}
		Share longer = share.lasting(now + LocalLocks.nanos(renewal.lease()))
			.count(Objects.requireNonNullElse(renewal.holdCount(), share.count()));
		if (renewal.passedTo() != null && !lock.isShared()) {
			longer = longer.passedTo(renewal.passedTo());
		}
		lock.replace(longer);
		return new Renewed(Duration.ofNanos(longer.ends() - now));
	}

	@Override
	public boolean release(HoldId hold) {
		return all(hold, (lock, token, now, wakeUps) -> {
			boolean released = lock.release(hold.holder(), token, now + RELEASE_REMEMBERED.toNanos());
			lock.wakeFront(wakeUps);
			return released;
		});
	}

	@Override
	public boolean keep(HoldId hold, Duration rest) {
		return all(hold, (lock, token, now, wakeUps) -> {
			boolean kept = lock.keep(hold.holder(), token, now + LocalLocks.nanos(rest));
			lock.wakeFirst(wakeUps);
			return kept;
		});
	}

	@Override
	public boolean downgrade(HoldId hold, int holdCount, @Nullable String passedTo) {
		return all(hold, (lock, token, now, wakeUps) -> {
			Share share = lock.held(hold.holder(), token);
			if (share != null && !lock.isShared()) {
				lock.grant(LockMode.SHARED, share.count(holdCount).passedTo(passedTo));
				lock.wakeFront(wakeUps);
			}
			return share != null;
		});
	}

	private boolean all(HoldId hold, Change change) {
		return this.locks.step((now, wakeUps) -> {
			boolean all = true;
			for (Grant grant : hold.grants()) {
				LocalLock lock = this.locks.lock(grant.key(), now);
				all &= change.apply(lock, grant.token(), now, wakeUps);
				this.locks.forgetUnused(lock);
			}
			return all;
		});
	}

	@Override
	public void withdraw(Claim claim, Duration refused) {
		this.locks.step((now, wakeUps) -> {
			for (String key : claim.keys()) {
				LocalLock lock = this.locks.lock(key, now);
				boolean taken = lock.withdraw(claim, now + LocalLocks.nanos(refused), now);
				if (taken || claim.place() != null) {
					lock.wakeFront(wakeUps);
				}
				this.locks.forgetUnused(lock);
			}
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

	@FunctionalInterface
	private interface Change {

		boolean apply(LocalLock lock, long token, long now, List<WakeUp> wakeUps);

	}

}
