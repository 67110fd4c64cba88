package io.holdfast.integration;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;

import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.LogText;
import io.holdfast.engine.HoldfastLockRegistry;

import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.integration.util.CheckedCallable;
import org.springframework.integration.util.CheckedRunnable;
import org.springframework.util.Assert;

/**
 * Holdfast's locks for the components of Spring Integration that take a lock registry,
 * such as aggregators, leader initiators and the advice for request handlers.
 *
 * <p>
 * The key {@code k} is the lock {@value #NAME}{@code :k}, whose {@linkplain LockRequest
 * name} is {@value #NAME}. Locks are renewed while their holder lives, as the properties
 * {@code holdfast.*} say, unless they are acquired with a time to live.
 *
 * <p>
 * If code that runs by {@code executeLocked} throws an exception and the lock is lost,
 * the exception of the code is thrown, and that of the loss is suppressed in it.
 *
 * @since 0.1.0
 */
public final class IntegrationLockRegistry
		implements RenewableLockRegistry<DistributedLock>, ExpirableLockRegistry<DistributedLock> {

	/**
	 * The name of all locks of Spring Integration.
	 */
	public static final String NAME = "integration";

	private final HoldfastLockRegistry registry;

	private final Duration lease;

	/**
	 * Create a registry.
	 * @param registry the registry of Holdfast, as it is auto-configured
	 * @param lease the time to which {@link #renewLock(Object)} extends a lease
	 * @throws IllegalArgumentException when the registry is another one
	 */
	public IntegrationLockRegistry(LockRegistry registry, Duration lease) {
		Assert.isInstanceOf(HoldfastLockRegistry.class, registry, "'registry' must be Holdfast's own.");
		LockRequest.requireValidLease(lease);
		this.registry = (HoldfastLockRegistry) registry;
		this.lease = lease;
	}

	/**
	 * Return the lock of a key.
	 * @param lockKey a text, number, enum constant, UUID, {@code boolean} or {@code char}
	 * @return the lock; two locks of one key are the same
	 * @throws IllegalArgumentException when the key is another object, or blank
	 */
	@Override
	public IntegrationLock obtain(Object lockKey) {
		Assert.notNull(lockKey, "'lockKey' must not be null");
		Assert.isTrue(hasLastingText(lockKey),
				() -> "A lock's key must be a text, number, enum constant, UUID, boolean or char: the text of a %s may be another one in each instance"
					.formatted(lockKey.getClass().getName()));
		return new IntegrationLock(this.registry.viewUntilLost(LockRequest.of(lockKey.toString()).name(NAME)));
	}

	private static boolean hasLastingText(Object key) {
		return Stream.of(CharSequence.class, Number.class, Enum.class, UUID.class, Boolean.class, Character.class)
			.anyMatch((type) -> type.isInstance(key));
	}

	@Override
	public <E extends Throwable> void executeLocked(Object lockKey, CheckedRunnable<E> runnable)
			throws E, InterruptedException {
		executeLocked(lockKey, callable(runnable));
	}

	@Override
	public <T, E extends Throwable> T executeLocked(Object lockKey, CheckedCallable<T, E> callable)
			throws E, InterruptedException {
		Lock lock = obtain(lockKey);
		lock.lockInterruptibly();
		return callAndUnlock(callable, lock);
	}

	@Override
	public <E extends Throwable> void executeLocked(Object lockKey, Duration waitLockDuration,
			CheckedRunnable<E> runnable) throws E, InterruptedException, TimeoutException {
		executeLocked(lockKey, waitLockDuration, callable(runnable));
	}

	@Override
	public <T, E extends Throwable> T executeLocked(Object lockKey, Duration waitLockDuration,
			CheckedCallable<T, E> callable) throws E, InterruptedException, TimeoutException {
		Lock lock = obtain(lockKey);
		if (!lock.tryLock(TimeUnit.NANOSECONDS.convert(waitLockDuration), TimeUnit.NANOSECONDS)) {
			throw new TimeoutException(
					"Lock '%s' was not acquired within %s".formatted(LogText.of(lockKey.toString()), waitLockDuration));
		}
		return callAndUnlock(callable, lock);
	}

	private static <E extends Throwable> CheckedCallable<Boolean, E> callable(CheckedRunnable<E> runnable) {
		return () -> {
			runnable.run();
			return true;
		};
	}

	private static <T, E extends Throwable> T callAndUnlock(CheckedCallable<T, E> callable, Lock lock) throws E {
		T result;
		try {
			result = callable.call();
		}
		catch (Throwable ex) {
			try {
				lock.unlock();
			}
			catch (IllegalMonitorStateException loss) {
				ex.addSuppressed(loss);
			}
			throw ex;
		}
		lock.unlock();
		return result;
	}

	/**
	 * Extend the lease of a lock that the current thread holds to at least the configured
	 * one. A lock that is renewed anyway does not need it.
	 * @param lockKey the key
	 * @throws IllegalMonitorStateException when the thread does not hold the lock, or has
	 * lost it
	 * @throws LockUnavailableException when Redis does not answer
	 */
	@Override
	public void renewLock(Object lockKey) {
		renewLock(lockKey, this.lease);
	}

	/**
	 * Extend the lease of a lock that the current thread holds.
	 * @param lockKey the key
	 * @param ttl the least time that the lease lasts from now on; a longer lease is not
	 * shortened
	 * @throws IllegalMonitorStateException when the thread does not hold the lock, or has
	 * lost it
	 * @throws LockUnavailableException when Redis does not answer
	 */
	@Override
	public void renewLock(Object lockKey, Duration ttl) {
		if (!obtain(lockKey).extend(ttl)) {
			throw new IllegalMonitorStateException("Lock '%s' is not held by thread '%s', or was lost"
				.formatted(LogText.of(lockKey.toString()), LogText.of(Thread.currentThread().getName())));
		}
	}

	/**
	 * Do nothing: there are no objects for locks that are not in use.
	 */
	@Override
	public void expireUnusedOlderThan(long age) {
	}

}
