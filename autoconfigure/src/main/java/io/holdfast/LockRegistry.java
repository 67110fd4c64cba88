package io.holdfast;

import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

import org.springframework.util.Assert;

/**
 * All locks of this application: as handles, and as {@link java.util.concurrent.locks}
 * views over the same locks.
 *
 * <p>
 * The views keep the contract of that package. They are reentrant per thread;
 * {@link Lock#lock() lock()} waits without limit, but throws a
 * {@link LockUnavailableException} if the store stays unreachable; {@link Lock#unlock()
 * unlock()} throws an {@link IllegalMonitorStateException} if the thread has not locked
 * the view or has lost the lock; conditions are not supported. Lease and renewal are as
 * configured.
 *
 * <p>
 * A lock from a registry is free as soon as it is unlocked or released, even within a
 * transaction. A {@link LockTemplate} waits for the end of the transaction.
 *
 * <p>
 * A thread that must not block, as those of Reactor's event loops, gets an
 * {@link IllegalStateException} from all methods that acquire a lock but
 * {@link #acquireAsync}.
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
	LockView lock(String key);

	/**
	 * Return a view of the exclusive lock of a key that is granted in order of arrival.
	 * @param key the key
	 * @return a view of the same lock as {@link #lock(String)}
	 * @throws IllegalArgumentException when the key is {@code null} or blank
	 */
	LockView fairLock(String key);

	/**
	 * Return views of the shared and the exclusive lock of a key.
	 *
	 * <p>
	 * A thread that holds the write lock may also take the read lock. If it then releases
	 * the write lock, it remains a reader, and other readers may join it; no writer
	 * enters in between. A thread that holds only the read lock cannot get the write
	 * lock: at once, its {@code tryLock} methods return {@code false}, and its other
	 * methods that lock throw a {@link LockUpgradeException}.
	 * @param key the key
	 * @return the views; the write lock is the same lock as {@link #lock(String)}
	 * @throws IllegalArgumentException when the key is {@code null} or blank
	 */
	ReadWriteLockView readWriteLock(String key);

	/**
	 * Return a view of the exclusive locks of several keys: it locks all of them or none.
	 * @param keys the keys
	 * @return a view
	 * @throws IllegalArgumentException when there is no key, or one is {@code null} or
	 * blank
	 */
	LockView multiLock(String... keys);

	/**
	 * Release the lock of a key by force, in any instance that holds it and in any mode:
	 * an operator's last resort. Its holders {@linkplain LockListener#onLost lose} it;
	 * their code continues to run. If the lock is shared or has
	 * {@linkplain LockRequest#permits permits}, all of them do: see
	 * {@link #forceRelease(String, long)} for one. A holder that is granted the lock
	 * meanwhile keeps it.
	 * @param key the key as it is locked, with the lock's name in front when it has one
	 * @return whether the lock was released; {@code false} when it was free, or changed
	 * hands meanwhile
	 * @throws IllegalArgumentException when the key is {@code null} or blank
	 * @throws LockUnavailableException when the store does not answer; the lock may be
	 * released all the same, within five seconds
	 * @throws UnsupportedOperationException when the registry does not support this, as
	 * the default implementation
	 */
	default boolean forceRelease(String key) {
		Assert.hasText(key, "A lock's key must not be null or blank");
		throw new UnsupportedOperationException("%s cannot release locks by force".formatted(getClass().getName()));
	}

	/**
	 * Release what one holder has of the lock of a key by force: the lock, its share or
	 * its permit. Otherwise as {@link #forceRelease(String)}.
	 * @param key the key as it is locked, with the lock's name in front when it has one
	 * @param token the holder's fencing token, as Actuator's endpoint shows it
	 * @return whether it was released; {@code false} when it is not held with that token
	 */
	default boolean forceRelease(String key, long token) {
		Assert.hasText(key, "A lock's key must not be null or blank");
		throw new UnsupportedOperationException("%s cannot release locks by force".formatted(getClass().getName()));
	}

	/**
	 * Acquire a lock if it is free, or becomes free in time.
	 * @param request what to lock and how; one try unless it says how long to wait
	 * @return the handle, or empty when the lock was not acquired in time
	 * @throws LockUpgradeException when the holder of the shared lock requests the
	 * exclusive lock of the same key
	 * @throws LockUnavailableException when the store does not answer
	 * @throws LockInterruptedException when the thread is interrupted while it waits
	 */
	Optional<LockHandle> tryAcquire(LockRequest request);

	/**
	 * Acquire a lock, or throw an exception. Waits as long as the request says, or as is
	 * configured.
	 *
	 * <p>
	 * The default implementation knows of no configured wait: unless the request says how
	 * long to wait, it makes one try.
	 * @param request what to lock and how
	 * @return the handle
	 * @throws LockNotAcquiredException when the lock was not acquired in time
	 * @throws LockException as {@link #tryAcquire}
	 */
	default LockHandle acquireOrThrow(LockRequest request) {
		long start = System.nanoTime();
		Duration waitFor = request.waitFor();
		return tryAcquire(request).orElseThrow(() -> new LockNotAcquiredException(LogText.keys(request.lockKeys()),
				waitFor == null || waitFor.isZero(), Duration.ofNanos(System.nanoTime() - start), null, null));
	}

	/**
	 * Acquire a lock without blocking a thread during the wait. The handle owns the lock:
	 * it is not reentrant, even for a thread that holds the same lock, and may be
	 * released from any thread.
	 * @param request what to lock and how
	 * @return completes with the handle; exceptionally with a
	 * {@link LockNotAcquiredException} when the lock was not acquired in time, or a
	 * {@link LockUnavailableException} when the store does not answer. It completes on a
	 * thread that may be blocked. If the caller cancels or completes it first, the
	 * request ends, and a granted lock is released.
	 * @throws UnsupportedOperationException when the registry does not support this
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
	 * Return whether the current thread holds the lock of a key, exclusive or shared.
	 * Answers from memory, and never returns {@code true} once the lease may have
	 * expired. A lock that is owned by its {@linkplain LockRequest#ownedByHandle()
	 * handle} is not held by a thread.
	 *
	 * <p>
	 * The default implementation searches all locks that are {@link #held()}, and assumes
	 * that the {@linkplain LockSnapshot#owner() owner's id} ends with the thread's id.
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
	 * acquired and not released. This asks the store, which also renews the locks that
	 * are renewed; if the store does not answer, the lease in memory decides. Locks that
	 * are owned by their {@linkplain LockRequest#ownedByHandle() handles} are not
	 * checked.
	 *
	 * <p>
	 * A lost lock counts until a thread has released its handle, or the handle has been
	 * garbage collected.
	 *
	 * <p>
	 * The default implementation does nothing.
	 * @throws LockLostException when one of the locks is lost
	 */
	default void ensureHeldByCurrentThread() {
	}

}
