package io.holdfast.engine;

import java.time.Duration;

/**
 * What lines and callers ask the store with.
 */
record StoreAccess(LockStore store, Cleanup cleanup, Shutdown shutdown, Owner.Factory owners, EngineSettings settings,
		Duration poll, EngineRuntime runtime) {

	// A caller without a limit of its own gives up after the configured wait
	Outage newOutage() {
		return new Outage(this.runtime, this.settings.waitFor());
	}

}
