package io.holdfast.aop;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.holdfast.LockRequest;

record PlannedLock(LockRequest request, FailureReaction notAcquired, FailureReaction unavailable) {

	Stream<PlannedLock> single() {
		return this.request.keys().stream().map((key) -> on(List.of(key)));
	}

	boolean differsOnlyInKeys(PlannedLock other) {
		return other.on(this.request.keys()).equals(this);
	}

	PlannedLock join(PlannedLock other) {
		return on(Stream.concat(this.request.keys().stream(), other.request.keys().stream()).toList());
	}

	// Several keys are not retained
	PlannedLock on(List<String> keys) {
		LockRequest changed = this.request.keys(keys);
		boolean given = keys.size() > 1 && changed.retain() != null;
		return new PlannedLock(given ? changed.retain(Duration.ZERO) : changed, this.notAcquired, this.unavailable);
	}

}
