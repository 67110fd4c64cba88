package io.holdfast.integration;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import io.holdfast.LockHandle;
import io.holdfast.LockInterruptedException;
import io.holdfast.LockLostException;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LogText;
import io.holdfast.ReleaseResult;
import org.jspecify.annotations.Nullable;

import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.util.Assert;

/**
 * A lock of an {@link IntegrationLockRegistry}, with the contract of
 * {@link java.util.concurrent.locks}. Reentrant per thread; conditions are not supported.
 *
 * <p>
 * A <em>time to live</em> is a hard limit: the lock is not renewed.
 *
 * <p>
 * A thread that has lost the lock must unlock it before it can acquire it again: until
 * then, all methods that lock throw a {@link LockLostException}. So a leader whose lock
 * is lost does not remain the leader.
 *
 * @since 0.1.0
 */
public final class IntegrationLock implements DistributedLock {

	private final LockRequest request;

	private final String key;

	private final LockRegistry registry;

	private final ThreadHandles handles;

	IntegrationLock(LockRequest request, LockRegistry registry, ThreadHandles handles) {
		this.request = request;
		this.key = request.lockKeys().get(0);
		this.registry = registry;
		this.handles = handles;
	}

	@Override
	public void lock() {
		requireAcquired(acquireUninterruptibly(this.request.waitForever()));
	}

	@Override
	public void lock(Duration ttl) {
		requireAcquired(acquireUninterruptibly(limited(ttl).waitForever()));
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		requireAcquired(acquireInterruptibly(this.request.waitForever()));
	}

	// A mocked registry answers empty
	private void requireAcquired(boolean acquired) {
		Assert.state(acquired,
				() -> "The registry has not acquired lock '%s', although there was no limit to wait for it"
					.formatted(LogText.of(this.key)));
	}

	@Override
	public boolean tryLock() {
		return acquireUninterruptibly(this.request.waitFor(Duration.ZERO));
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return acquireInterruptibly(this.request.waitFor(Duration.ofNanos(Math.max(0, unit.toNanos(time)))));
	}

	@Override
	public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
		Assert.notNull(waitTime, "'waitTime' must not be null");
		return acquireInterruptibly(limited(ttl).waitFor(waitTime.isNegative() ? Duration.ZERO : waitTime));
	}

	private LockRequest limited(Duration ttl) {
		Assert.notNull(ttl, "'ttl' must not be null");
		return this.request.lease(ttl).autoRenew(false);
	}

	private boolean acquireInterruptibly(LockRequest request) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		try {
			return acquire(request);
		}
		catch (LockInterruptedException ex) {
			Thread.interrupted(); // an InterruptedException stands for it
			throw (InterruptedException) new InterruptedException(ex.getMessage()).initCause(ex);
		}
	}

	private boolean acquireUninterruptibly(LockRequest request) {
		boolean interrupted = Thread.interrupted();
		try {
			while (true) {
				try {
					return acquire(request);
				}
				catch (LockInterruptedException ex) {
					interrupted = Thread.interrupted();
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private boolean acquire(LockRequest request) {
		LockHandle outer = this.handles.last(this.key);
		ensureHeld(outer);
		Optional<LockHandle> acquired = this.registry.tryAcquire(request);
		try {
			ensureHeld(outer);
		}
		catch (LockLostException ex) {
			acquired.ifPresent(LockHandle::giveBack);
			throw ex;
		}
		acquired.ifPresent(this.handles::add);
		return acquired.isPresent();
	}

	private static void ensureHeld(@Nullable LockHandle outer) {
		if (outer != null) {
			outer.ensureHeld();
		}
	}

	/**
	 * Release the lock. If Redis cannot be reached, this is repeated in the background.
	 * @throws IllegalMonitorStateException when the thread does not hold the lock, or has
	 * lost it
	 */
	@Override
	public void unlock() {
		LockHandle handle = this.handles.last(this.key);
		if (handle == null) {
			throw notHeld(this.key);
		}
		this.handles.remove(handle);
		if (handle.release() == ReleaseResult.LOST) {
			throw new IllegalMonitorStateException(
					"Lock '%s' was lost before it was unlocked: what ran under it was not protected to the end"
						.formatted(LogText.of(this.key)));
		}
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("A distributed lock has no conditions");
	}

	/**
	 * Return the fencing token of the lock: that of the current thread's acquisition, or
	 * else that of the thread in this instance which holds the lock. So work that a
	 * leader does on other threads gets the token of the leader's lock.
	 * @return the token; it only grows from one holder to the next
	 * @throws IllegalMonitorStateException when this instance does not hold the lock
	 */
	public long fencingToken() {
		LockHandle own = this.handles.last(this.key);
		return (own != null) ? own.fencingToken()
				: this.registry.held()
					.stream()
					.filter((lock) -> lock.keys().contains(this.key) && !lock.remainingLease().isZero())
					.findFirst()
					.orElseThrow(() -> notHeld(this.key))
					.fencingToken();
	}

	static IllegalMonitorStateException notHeld(String key) {
		return new IllegalMonitorStateException("Lock '%s' is not held".formatted(LogText.of(key)));
	}

	@Override
	public String toString() {
		return "IntegrationLock[key=%s]".formatted(this.key);
	}

}
