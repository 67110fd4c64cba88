package io.holdfast.aop;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.holdfast.LockRequest;

import org.springframework.expression.EvaluationContext;

/**
 * All locks a method needs, and the order in which they are acquired.
 *
 * @param operations what each of the annotations asks for
 * @param kind how calls of the method are run
 */
record LockPlan(List<LockOperation> operations, CallKind kind) {

	/**
	 * The same for all methods, so that no two of them wait for each other. Whoever holds
	 * the shared lock of a key cannot get the exclusive one, hence that comes first.
	 */
	private static final Comparator<LockRequest> ORDER = Comparator
		.comparing((LockRequest request) -> request.lockKeys().get(0))
		.thenComparing((request) -> request.mode());

	LockPlan {
		operations = List.copyOf(operations);
	}

	/**
	 * Return what to acquire for a call, one inside the other.
	 * @return the locks, outermost first; empty when the call needs none
	 */
	List<PlannedLock> locks(EvaluationContext context) {
		if (this.operations.size() == 1) {
			LockOperation only = this.operations.get(0);
			return only.isNeeded(context) ? List.of(only.lock(context)) : List.of();
		}
		List<PlannedLock> wanted = this.operations.stream()
			.filter((operation) -> operation.isNeeded(context))
			.map((operation) -> operation.lock(context))
			.toList();
		return joined(wanted.stream()
			.flatMap(PlannedLock::single)
			.sorted(Comparator.comparing(PlannedLock::request, ORDER))
			.toList());
	}

	/**
	 * Join neighbours that differ in nothing but their keys. Others than neighbours must
	 * stay apart: joined, they would no longer be acquired in the order of their keys.
	 */
	private static List<PlannedLock> joined(List<PlannedLock> ordered) {
		List<PlannedLock> joined = new ArrayList<>();
		for (PlannedLock next : ordered) {
			int last = joined.size() - 1;
			if (last >= 0 && joined.get(last).differsOnlyInKeys(next)) {
				joined.set(last, joined.get(last).join(next));
			}
			else {
				joined.add(next);
			}
		}
		return joined;
	}

}
