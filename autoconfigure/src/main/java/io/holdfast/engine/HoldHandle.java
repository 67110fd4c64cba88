package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import io.holdfast.LogText;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.runtime.MonotonicClock;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * One of the nested acquisitions that make up a {@link Hold}.
 */
final class HoldHandle implements LockHandle {

	private final Hold hold;

	private final Terms terms;

	private final HoldKeeper keeper;

	private final MonotonicClock clock;

	private final long openedAt;

	private volatile @Nullable ReleaseResult result;

	private volatile boolean givenUp;

	private volatile boolean unused;

	HoldHandle(Hold hold, Terms terms, HoldKeeper keeper, MonotonicClock clock) {
		this.hold = hold;
		this.terms = terms;
		this.keeper = keeper;
		this.clock = clock;
		this.openedAt = clock.nanos();
	}

	@Override
	public List<String> keys() {
		return this.terms.keys();
	}

	@Override
	public LockMode mode() {
		return this.terms.mode();
	}

	@Override
	public int holdCount() {
		return this.hold.count();
	}

	@Override
	public long fencingToken() {
		Assert.state(this.terms.keys().size() == 1,
				() -> "There is a fencing token for each of the keys %s: use fencingToken(key)"
					.formatted(LogText.of(this.terms.text())));
		return this.hold.token(this.terms.keys().get(0));
	}

	@Override
	public long fencingToken(String key) {
		Assert.isTrue(this.terms.keys().contains(key), () -> "This handle does not hold the key '%s' but '%s'"
			.formatted(LogText.of(key), LogText.of(this.terms.text())));
		return this.hold.token(key);
	}

	@Override
	public boolean isHeld() {
		return this.result == null && this.hold.isHeld();
	}

	@Override
	public Duration remainingLease() {
		return isHeld() ? this.hold.lease().remaining() : Duration.ZERO;
	}

	@Override
	public void ensureHeld() {
		if (!isHeld()) {
			throw notHeld();
		}
	}

	private LockLostException notHeld() {
		String key = this.terms.text();
		LockLostException loss = this.keeper.checkLease(this.hold);
		return (loss != null) ? new LockLostException(key, "it is not held any more", loss)
				: new LockLostException(key, "this handle has been released", null);
	}

	@Override
	public boolean extend(Duration lease) {
		LockRequest.requireValidLease(lease);
		return this.result == null && this.keeper.extend(this.hold, lease);
	}

	@Override
	public void onLost(Consumer<LockHandle> listener) {
		Assert.notNull(listener, "'listener' must not be null");
		Runnable call = () -> listener.accept(this);
		onLoss(() -> this.keeper.listeners().tellAside(call), call);
	}

	/**
	 * Have something done by the thread that books the loss, or now when that has been
	 * done already.
	 * @param action what to do; does not wait
	 */
	void onLoss(Runnable action) {
		onLoss(action, action);
	}

	private void onLoss(Runnable action, Runnable late) {
		if (this.result != null && this.result != ReleaseResult.LOST) {
			return;
		}
		if (!this.hold.onLoss(this, action)) {
			late.run();
		}
	}

	/**
	 * If this throws, because of a lack of stack or memory, the watchdog does it later.
	 */
	@Override
	public ReleaseResult release() {
		this.givenUp = true;
		this.hold.counting().lock();
		try {
			ReleaseResult first = this.result;
			if (first != null) {
				return first;
			}
			ReleaseResult now = this.keeper.releases().release(this.hold, this);
			this.result = now;
			return now;
		}
		finally {
			this.hold.counting().unlock();
		}
	}

	/**
	 * Have the watchdog release this, unless it is released before.
	 */
	void giveUp() {
		this.givenUp = true;
	}

	boolean isGivenUp() {
		return this.givenUp;
	}

	@Override
	public CompletableFuture<ReleaseResult> releaseAsync() {
		return async(this.hold.terms().keys(), this::release);
	}

	/**
	 * Run a task that talks to the store about keys on another thread.
	 */
	<T> CompletableFuture<T> async(List<String> keys, Supplier<T> task) {
		return this.keeper.asyncThreads().call(keys, task);
	}

	@Override
	public ReleaseResult giveBack() {
		noteUnused();
		return release();
	}

	/**
	 * Note that nothing has been done under the lock: when it is released, the keys are
	 * not kept for its sake.
	 */
	void noteUnused() {
		this.unused = true;
	}

	/**
	 * Release without waiting: neither for the store, nor for those who do. If this
	 * throws, the watchdog does it later.
	 */
	void releaseAside() {
		this.givenUp = true;
		this.keeper.releases().untilDone(this.hold.terms().keys(), this::tryReleaseAside);
	}

	/**
	 * Release in the background.
	 */
	void releaseInBackground() {
		this.keeper.releases().inBackground(this.hold.terms().keys(), this::tryReleaseAside);
	}

	private boolean tryReleaseAside() {
		if (!this.hold.counting().tryLock()) {
			return false;
		}
		try {
			if (this.result == null) {
				this.result = this.keeper.releases().releaseAside(this.hold, this);
			}
			return true;
		}
		finally {
			this.hold.counting().unlock();
		}
	}

	@Override
	public void close() {
		release();
	}

	/**
	 * Return the lease this acquisition wants its hold to be renewed with.
	 * @return the lease, or {@code null} when it does not want it to be renewed any more
	 */
	@Nullable Duration wantedLease() {
		return (this.terms.autoRenew() && !this.givenUp && !isHeldLongEnough()) ? this.terms.lease() : null;
	}

	/**
	 * Return until when this acquisition wants the keys to stay taken, even if it is
	 * released earlier. Counts from when the grant was known here, which is later than
	 * the grant.
	 */
	long keptUntil() {
		return this.unused ? this.openedAt : this.openedAt + MonotonicClock.toNanos(this.terms.minHold());
	}

	private boolean isHeldLongEnough() {
		Duration maxHold = this.terms.maxHold();
		return maxHold != null && this.clock.nanos() - this.openedAt >= MonotonicClock.toNanos(maxHold);
	}

	@Override
	public String toString() {
		return "LockHandle[keys=%s, mode=%s, owner=%s]".formatted(this.terms.keys(), mode(), this.hold.owner().id());
	}

}
