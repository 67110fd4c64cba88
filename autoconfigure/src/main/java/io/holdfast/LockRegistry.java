package io.holdfast;

import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import org.springframework.util.Assert;

/**
 * All locks of this application: as handles, and as {@link java.util.concurrent.locks}
 * views over the same locks.
 *
 * <p>
 * The views keep the contract of that package. They are reentrant per thread;
 * {@link Lock#lock() lock()} waits without limit, though not for a Redis that stays out
 * of reach, which ends it with a {@link LockUnavailableException}; {@link Lock#unlock()
 * unlock()} throws an {@link IllegalMonitorStateException} when the thread has not locked
 * the view or has lost the lock since; conditions are not supported. Lease and renewal
 * are as configured.
 *
 * <p>
 * What is acquired here is free as soon as it is unlocked or released, also in the middle
 * of a transaction; a {@link LockTemplate} waits for that.
 *
 * @since 0.1.0
 */
public interface LockRegistry {

	/**
	 * Return a view of the exclusive lock of a key.
	 * @param key the key
	 * @return a view; two views of one key are the same lock
	 * @throws IllegalArgumentException when the key is {@code null} or blank
	 */
	Lock lock(String key);

	/**
	 * Return a view of the exclusive lock of a key that is granted in order of arrival.
	 * @param key the key
	 * @return a view of the same lock as {@link #lock(String)}
	 * @throws IllegalArgumentException when the key is {@code null} or blank
	 */
	Lock fairLock(String key);

	/**
	 * Return views of the shared and the exclusive lock of a key.
	 *
	 * <p>
	 * A thread that holds the write lock may take the read lock too. If it gives up the
	 * write lock first, it goes on as a reader, and other readers may join it; no writer
	 * comes in between. A thread that holds only the read lock cannot get the write lock:
	 * all methods that lock this throw a {@link LockUpgradeException} at once, also
	 * {@link Lock#tryLock()}.
	 * @param key the key
	 * @return the views; the write lock is the same lock as {@link #lock(String)}
	 * @throws IllegalArgumentException when the key is {@code null} or blank
	 */
	ReadWriteLock readWriteLock(String key);

	/**
	 * Return a view of the exclusive locks of several keys, which are acquired all or
	 * none.
	 * @param keys the keys
	 * @return a view
	 * @throws IllegalArgumentException when there is no key, or one is {@code null} or
	 * blank
	 */
	Lock multiLock(String... keys);

	/**
	 * Acquire a lock, waiting for it as long as the request says.
	 * @param request what to lock and how
	 * @return the handle, or empty when the lock was not acquired in time
	 * @throws LockUpgradeException when the exclusive lock is asked for by who holds the
	 * shared one of the same key
	 * @throws LockUnavailableException when Redis cannot be asked
	 * @throws LockInterruptedException when the thread is interrupted while it waits
	 */
	Optional<LockHandle> acquire(LockRequest request);

	/**
	 * Acquire a lock as {@link #acquire}, with an exception in place of an empty result.
	 * @param request what to lock and how
	 * @return the handle
	 * @throws LockNotAcquiredException when the lock was not acquired in time
	 * @throws LockException as {@link #acquire}
	 */
	default LockHandle acquireOrThrow(LockRequest request) {
		long start = System.nanoTime();
		return acquire(request).orElseThrow(() -> new LockNotAcquiredException(LogText.keys(request.lockKeys()),
				Duration.ofNanos(System.nanoTime() - start), null));
	}

	/**
	 * Acquire a lock without blocking a thread while waiting for it. It is owned by its
	 * handle: it is not reentrant, also for a thread that holds the same lock, and may be
	 * released from any thread.
	 * @param request what to lock and how
	 * @return completes with the handle; exceptionally with a
	 * {@link LockNotAcquiredException} when the lock was not acquired in time, or a
	 * {@link LockUnavailableException} when Redis cannot be asked. It completes on a
	 * thread that may be blocked. To cancel it, or to complete it in any other way, is to
	 * do without the lock.
	 * @throws UnsupportedOperationException when the registry has no way to do so
	 */
	default CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		Assert.notNull(request, "'request' must not be null");
		throw new UnsupportedOperationException(
				"%s cannot acquire locks asynchronously".formatted(getClass().getName()));
	}

	/**
	 * Return the locks this instance holds.
	 * @return a snapshot of each
	 */
	Collection<LockSnapshot> held();

	/**
	 * Return whether the current thread holds the lock of a key, be it exclusive or
	 * shared, and however it was acquired. Answers from memory, and is never {@code true}
	 * once the lease may have run out. Not held by a thread is a lock that is owned by
	 * its {@linkplain LockRequest#ownedByHandle() handle}.
	 *
	 * <p>
	 * Unless it is overridden, this looks through all locks that are {@link #held()}, and
	 * takes the {@linkplain LockSnapshot#owner() owner's id} to end with the thread's.
	 * @param key the key as it is locked, with the lock's name in front when it has one
	 * @return whether the lock is held
	 * @throws IllegalArgumentException when the key is {@code null} or blank
	 */
	default boolean isHeldByCurrentThread(String key) {
		Assert.hasText(key, "A lock's key must not be null or blank");
		return held().stream().anyMatch((lock) -> lock.keys().contains(key) && lock.isHeldByCurrentThread());
	}

	/**
	 * Throw an exception unless the current thread still holds all locks that it has
	 * acquired and not released, in whichever way it acquired them. Redis is asked, and
	 * thereby renews those locks that are to be renewed; if it cannot be asked, what is
	 * known here decides. Locks that are owned by their
	 * {@linkplain LockRequest#ownedByHandle() handles} are not looked at.
	 *
	 * <p>
	 * A lost lock counts until its handle has been released, by whichever thread, or has
	 * been thrown away and garbage collected.
	 *
	 * <p>
	 * Unless it is overridden, this knows of no losses and does nothing.
	 * @throws LockLostException when one of the locks is lost
	 */
	default void ensureHeldByCurrentThread() {
	}

}
