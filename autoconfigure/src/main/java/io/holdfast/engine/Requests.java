package io.holdfast.engine;

import java.time.Duration;

import io.holdfast.LockLostException;
import io.holdfast.LockRequest;
import io.holdfast.LockUpgradeException;
import io.holdfast.NotAcquiredReason;
import org.jspecify.annotations.Nullable;

/**
 * What all requests for locks share: defaults, the shutdown that ends them, and the
 * listeners of their results.
 */
final class Requests {

	private final EngineSettings settings;

	private final LockStore store;

	private final EngineRuntime runtime;

	private final Shutdown shutdown;

	private final Listeners listeners;

	private final Owner.Factory owners;

	private final Tally underWay;

	Requests(EngineSettings settings, LockStore store, EngineRuntime runtime, Shutdown shutdown, Owner.Factory owners,
			Listeners listeners) {
		this.settings = settings;
		this.store = store;
		this.runtime = runtime;
		this.shutdown = shutdown;
		this.listeners = listeners;
		this.owners = owners;
		this.underWay = new Tally(runtime);
	}

	EngineRuntime runtime() {
		return this.runtime;
	}

	Owner.Factory owners() {
		return this.owners;
	}

	Terms terms(LockRequest request) {
		return Terms.of(request, this.settings, this.store);
	}

	Deadline deadline(LockRequest request) {
		return deadline((request.waitFor() != null) ? request.waitFor() : this.settings.waitFor());
	}

	Deadline deadline(Duration waitFor) {
		return new Deadline(this.runtime, waitFor, this.shutdown);
	}

	void begin() {
		this.underWay.begin();
	}

	void end() {
		this.underWay.end();
	}

	int underWay() {
		return this.underWay.count();
	}

	void awaitNone(Duration atMost) {
		this.underWay.awaitNone(atMost);
	}

	void notAcquired(LockRequest request, Deadline deadline, NotAcquiredReason reason) {
		this.listeners.notAcquired(request, deadline.waited(), reason);
	}

	static NotAcquiredReason reason(@Nullable Throwable failure) {
		if (failure == null) {
			return NotAcquiredReason.TIMEOUT;
		}
		if (failure instanceof InterruptedException) {
			return NotAcquiredReason.INTERRUPTED;
		}
		boolean refused = failure instanceof LockUpgradeException || failure instanceof LockLostException;
		return refused ? NotAcquiredReason.REFUSED : NotAcquiredReason.UNAVAILABLE;
	}

}
