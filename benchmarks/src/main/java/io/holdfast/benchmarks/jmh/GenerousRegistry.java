package io.holdfast.benchmarks.jmh;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import io.holdfast.LockHandle;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;

/**
 * Grants every request at once, and keeps nobody out.
 */
class GenerousRegistry implements LockRegistry {

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) {
		return Optional.of(new GenerousHandle(request));
	}

	@Override
	public Collection<LockSnapshot> held() {
		return List.of();
	}

	@Override
	public Lock lock(String key) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Lock fairLock(String key) {
		throw new UnsupportedOperationException();
	}

	@Override
	public ReadWriteLock readWriteLock(String key) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Lock multiLock(String... keys) {
		throw new UnsupportedOperationException();
	}

}
