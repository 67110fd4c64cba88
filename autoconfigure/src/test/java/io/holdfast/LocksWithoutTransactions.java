package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;

import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.local.LocalLockStore;
import io.holdfast.local.LocalLocks;

/**
 * Uses a template; is loaded where there are no transactions.
 */
class LocksWithoutTransactions implements Callable<ReleaseResult> {

	@Override
	public ReleaseResult call() {
		EngineSettings settings = new EngineSettings(() -> "without", Duration.ofSeconds(30), Duration.ofSeconds(5),
				true, null, false, OnLost.THROW, 16, Duration.ofMillis(50));
		try (HoldfastLockRegistry registry = new HoldfastLockRegistry(new LocalLockStore(LocalLocks.ofJvm("without")),
				settings, List::of)) {
			return new LockTemplate(registry).execute("k", LockHandle::release);
		}
	}

}
