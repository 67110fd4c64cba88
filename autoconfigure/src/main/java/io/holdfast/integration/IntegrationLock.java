package io.holdfast.integration;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import io.holdfast.LockLostException;
import io.holdfast.LockView;
import org.jspecify.annotations.Nullable;

import org.springframework.integration.support.locks.DistributedLock;

/**
 * A lock of an {@link IntegrationLockRegistry}, with the contract of
 * {@link java.util.concurrent.locks}. Reentrant per thread; conditions are not supported.
 * Two locks of one key and registry are equal.
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

	private final LockView view;

	IntegrationLock(LockView view) {
		this.view = view;
	}

	@Override
	public void lock() {
		this.view.lock();
	}

	@Override
	public void lock(Duration ttl) {
		this.view.lock(ttl);
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		this.view.lockInterruptibly();
	}

	@Override
	public boolean tryLock() {
		return this.view.tryLock();
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return this.view.tryLock(time, unit);
	}

	// To Spring Integration, a negative time is one try
	@Override
	public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
		return this.view.tryLock(waitTime.isNegative() ? Duration.ZERO : waitTime, ttl);
	}

	/**
	 * Release the lock. If Redis cannot be reached, this is repeated in the background.
	 * @throws IllegalMonitorStateException when the thread does not hold the lock, or has
	 * lost it
	 */
	@Override
	public void unlock() {
		this.view.unlock();
	}

	@Override
	public Condition newCondition() {
		return this.view.newCondition();
	}

	/**
	 * Return the fencing token of the lock that the current thread holds. A leader reads
	 * it in {@code onGranted}, and passes it to the work that it does on other threads.
	 * @return the token; it only grows from one holder to the next
	 * @throws IllegalMonitorStateException when the thread does not hold the lock, or has
	 * lost it
	 */
	public long fencingToken() {
		return this.view.fencingToken();
	}

	boolean extend(Duration ttl) {
		return this.view.extend(ttl);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof IntegrationLock lock && this.view.equals(lock.view);
	}

	@Override
	public int hashCode() {
		return this.view.hashCode();
	}

	@Override
	public String toString() {
		return "IntegrationLock[keys=%s]".formatted(this.view.keys());
	}

}
