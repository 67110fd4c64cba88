package io.holdfast.benchmarks.contender;

import java.util.concurrent.locks.Lock;

import io.holdfast.LockRegistry;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * Holdfast in an application of its own.
 */
final class HoldfastClient implements LockClient {

	private final ConfigurableApplicationContext application;

	private final LockRegistry registry;

	HoldfastClient(ClientSettings settings, String clientType) {
		this.application = HoldfastApplication.run(settings, clientType);
		this.registry = this.application.getBean(LockRegistry.class);
	}

	@Override
	public HeldLock acquire(String key) throws InterruptedException {
		Lock lock = this.registry.lock(key);
		lock.lockInterruptibly();
		return lock::unlock;
	}

	@Override
	public void close() {
		this.application.close();
	}

}
