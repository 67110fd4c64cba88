package io.holdfast.aop;

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

	PlannedLock on(List<String> keys) {
		return new PlannedLock(this.request.keys(keys), this.notAcquired, this.unavailable);
	}

}
