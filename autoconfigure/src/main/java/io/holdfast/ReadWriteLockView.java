package io.holdfast;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * The shared and the exclusive lock of a key.
 *
 * @since 0.1.0
 * @see LockRegistry#readWriteLock(String)
 */
public interface ReadWriteLockView extends ReadWriteLock {

	@Override
	LockView readLock();

	@Override
	LockView writeLock();

}
