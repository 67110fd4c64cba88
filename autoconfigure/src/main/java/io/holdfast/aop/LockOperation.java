package io.holdfast.aop;

import io.holdfast.LockRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationContext;

/**
 * What one annotation asks for, checked and ready to be applied to a call.
 *
 * @param key the key's expression, or {@code null} when the prototype's key is the whole
 * key
 * @param condition the condition's expression, or {@code null} for always
 * @param prototype the request, complete but for the key
 * @param reaction what to do when the lock is not acquired in time
 */
record LockOperation(@Nullable LockExpression key, @Nullable LockExpression condition, LockRequest prototype,
		FailureReaction reaction) {

	boolean isNeeded(EvaluationContext context) {
		return this.condition == null || this.condition.evaluateCondition(context);
	}

	PlannedLock lock(EvaluationContext context) {
		return new PlannedLock(request(context), this.reaction);
	}

	private LockRequest request(EvaluationContext context) {
		if (this.key == null) {
			return this.prototype;
		}
		return this.prototype.keys(this.key.evaluateKeys(context));
	}

}
