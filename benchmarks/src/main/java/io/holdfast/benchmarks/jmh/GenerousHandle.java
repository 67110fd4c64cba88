package io.holdfast.benchmarks.jmh;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.holdfast.LockHandle;
import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;

/**
 * A lock that is always held.
 */
record GenerousHandle(LockRequest request) implements LockHandle {

	@Override
	public List<String> keys() {
		return this.request.lockKeys();
	}

	@Override
	public LockMode mode() {
		return this.request.mode();
	}

	@Override
	public int holdCount() {
		return 1;
	}

	@Override
	public long fencingToken() {
		return 1;
	}

	@Override
	public long fencingToken(String key) {
		return 1;
	}

	@Override
	public boolean isHeld() {
		return true;
	}

	@Override
	public Duration remainingLease() {
		return Duration.ofSeconds(30);
	}

	@Override
	public void ensureHeld() {
	}

	@Override
	public boolean extend(Duration lease) {
		return true;
	}

	@Override
	public void onLost(Consumer<LockHandle> listener) {
	}

	@Override
	public ReleaseResult release() {
		return ReleaseResult.RELEASED;
	}

	@Override
	public void close() {
	}

}
