package io.holdfast.integration;

import java.time.Duration;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;

import org.springframework.beans.BeanUtils;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;
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
 * @since 0.1.0
 */
public final class IntegrationLockRegistry
		implements RenewableLockRegistry<DistributedLock>, ExpirableLockRegistry<DistributedLock> {

	/**
	 * The name of all locks of Spring Integration.
	 */
	public static final String NAME = "integration";

	private final LockRegistry registry;

	private final Duration lease;

	private final ThreadHandles handles = new ThreadHandles();

	/**
	 * Create a registry.
	 * @param registry acquires the locks
	 * @param lease the time to which {@link #renewLock(Object)} extends a lease
	 */
	public IntegrationLockRegistry(LockRegistry registry, Duration lease) {
		Assert.notNull(registry, "'registry' must not be null");
		LockRequest.requireValidLease(lease);
		this.registry = registry;
		this.lease = lease;
	}

	/**
	 * Return the lock of a key.
	 * @param lockKey a text, number, enum constant, UUID or another
	 * {@linkplain BeanUtils#isSimpleValueType simple value}, whose text is the same in
	 * all instances
	 * @return the lock; two locks of one key are the same
	 * @throws IllegalArgumentException when the key is another object, or blank
	 */
	@Override
	public IntegrationLock obtain(Object lockKey) {
		return new IntegrationLock(request(lockKey), this.registry, this.handles);
	}

	private static LockRequest request(Object lockKey) {
		Assert.notNull(lockKey, "'lockKey' must not be null");
		Assert.isTrue(BeanUtils.isSimpleValueType(lockKey.getClass()),
				() -> "A lock's key must be a simple value, such as a String: the text of a %s may be another one in each instance"
					.formatted(lockKey.getClass().getName()));
		return LockRequest.of(lockKey.toString()).name(NAME);
	}

	/**
	 * Extend the lease of a lock that the current thread holds to at least the configured
	 * one. A lock that is renewed anyway does not need it.
	 * @param lockKey the key
	 * @throws IllegalMonitorStateException when the thread does not hold the lock
	 * @throws LockLostException when the thread has lost the lock
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
	 * @throws IllegalMonitorStateException when the thread does not hold the lock
	 * @throws LockLostException when the thread has lost the lock
	 * @throws LockUnavailableException when Redis does not answer
	 */
	@Override
	public void renewLock(Object lockKey, Duration ttl) {
		Assert.notNull(ttl, "'ttl' must not be null");
		String key = request(lockKey).lockKeys().get(0);
		LockHandle handle = this.handles.last(key);
		if (handle == null) {
			throw IntegrationLock.notHeld(key);
		}
		if (!handle.extend(ttl)) {
			handle.ensureHeld();
		}
	}

	/**
	 * Do nothing: there are no objects for locks that are not in use.
	 */
	@Override
	public void expireUnusedOlderThan(long age) {
	}

}
