package io.holdfast;

import java.util.Collection;
import java.util.Optional;

/**
 * A registry of a user's own, with nothing but what it must have.
 */
class RegistryOfUser implements LockRegistry {

	private final LockRegistry registry;

	RegistryOfUser(LockRegistry registry) {
		this.registry = registry;
	}

	@Override
	public LockView lock(String key) {
		return this.registry.lock(key);
	}

	@Override
	public LockView fairLock(String key) {
		return this.registry.fairLock(key);
	}

	@Override
	public ReadWriteLockView readWriteLock(String key) {
		return this.registry.readWriteLock(key);
	}

	@Override
	public LockView multiLock(String... keys) {
		return this.registry.multiLock(keys);
	}

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) {
		return this.registry.tryAcquire(request);
	}

	@Override
	public Collection<LockSnapshot> held() {
		return this.registry.held();
	}

}
