package io.holdfast.benchmarks.jmh;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

import io.holdfast.LockHandle;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.LockView;
import io.holdfast.ReadWriteLockView;

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
	public LockView lock(String key) {
		throw new UnsupportedOperationException();
	}

	@Override
	public LockView fairLock(String key) {
		throw new UnsupportedOperationException();
	}

	@Override
	public ReadWriteLockView readWriteLock(String key) {
		throw new UnsupportedOperationException();
	}

	@Override
	public LockView multiLock(String... keys) {
		throw new UnsupportedOperationException();
	}

}
