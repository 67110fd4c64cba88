package io.holdfast.aop;

import java.time.Duration;

import io.holdfast.LockException;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * What an annotation asks for. Without a key, the prototype's key is the whole key;
 * without a condition, the lock is always needed.
 */
record LockPlan(@Nullable LockExpression key, @Nullable LockExpression condition, LockRequest prototype,
		FailureReaction notAcquired, FailureReaction unavailable) {

	// None if the call needs no lock
	@Nullable LockRequest request(LockCall call) {
		if (this.condition != null && !this.condition.evaluateCondition(call)) {
			return null;
		}
		return (this.key != null) ? this.key.request(this.prototype, call) : this.prototype;
	}

	@Nullable Object react(LockCall call, LockException failure) throws Throwable {
		boolean isUnavailable = failure instanceof LockUnavailableException;
		return (isUnavailable ? this.unavailable : this.notAcquired).react(call, failure);
	}

	@Nullable Duration renewedLease() {
		return Boolean.FALSE.equals(this.prototype.autoRenew()) ? null : this.prototype.lease();
	}

}
