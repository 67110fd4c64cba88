package io.holdfast.aop;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.holdfast.LockRequest;

/**
 * A lock that a call is to acquire, and what to do when it is not acquired.
 *
 * @param request what to acquire
 * @param notAcquired what to do when it is not acquired in time
 * @param unavailable what to do when Redis cannot be asked for it
 */
record PlannedLock(LockRequest request, FailureReaction notAcquired, FailureReaction unavailable) {

	/**
	 * Return this for each key alone.
	 */
	Stream<PlannedLock> single() {
		return this.request.keys().stream().map((key) -> on(List.of(key)));
	}

	boolean differsOnlyInKeys(PlannedLock other) {
		return other.on(this.request.keys()).equals(this);
	}

	/**
	 * Return this with the keys of another one added.
	 */
	PlannedLock join(PlannedLock other) {
		return on(Stream.concat(this.request.keys().stream(), other.request.keys().stream()).toList());
	}

	/**
	 * Return this for other keys. Several are not retained.
	 */
	PlannedLock on(List<String> keys) {
		LockRequest changed = this.request.keys(keys);
		boolean given = keys.size() > 1 && changed.retain() != null;
		return new PlannedLock(given ? changed.retain(Duration.ZERO) : changed, this.notAcquired, this.unavailable);
	}

}
