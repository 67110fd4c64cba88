package io.holdfast.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import io.holdfast.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * The locks that calls of a method need, and the order in which they are acquired.
 */
record LockPlan(List<Operation> operations) {

	// The order is the same for all methods, so that two of them never wait for each
	// other. The holder of the shared lock of a key cannot get the exclusive one, so the
	// exclusive one comes first
	private static final Comparator<LockRequest> ORDER = Comparator
		.comparing((LockRequest request) -> request.lockKeys().get(0))
		.thenComparing((request) -> request.mode());

	LockPlan {
		operations = List.copyOf(operations);
	}

	List<PlannedLock> locks(LockCall call) {
		if (this.operations.size() == 1) {
			Operation only = this.operations.get(0);
			return only.isNeeded(call) ? List.of(only.lock(call)) : List.of();
		}
		List<PlannedLock> wanted = this.operations.stream()
			.filter((operation) -> operation.isNeeded(call))
			.map((operation) -> operation.lock(call))
			.toList();
		return joined(wanted.stream()
			.flatMap(PlannedLock::single)
			.sorted(Comparator.comparing(PlannedLock::request, ORDER))
			.toList());
	}

	Stream<Duration> renewedLeases() {
		return this.operations.stream()
			.map((operation) -> operation.prototype().request())
			.filter((request) -> !Boolean.FALSE.equals(request.autoRenew()))
			.flatMap((request) -> Stream.ofNullable(request.lease()));
	}

	// Locks that differ in more than their keys stay apart: joined, they would no longer
	// be acquired in the order of their keys
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

	/**
	 * What one annotation asks for. Without a key, the prototype's key is the whole key;
	 * without a condition, the lock is always needed.
	 */
	record Operation(@Nullable LockExpression key, @Nullable LockExpression condition, PlannedLock prototype) {

		private boolean isNeeded(LockCall call) {
			return this.condition == null || this.condition.evaluateCondition(call);
		}

		private PlannedLock lock(LockCall call) {
			return (this.key != null) ? this.prototype.on(this.key.evaluateKeys(call)) : this.prototype;
		}

	}

}
