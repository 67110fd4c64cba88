package io.holdfast.aop;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import io.holdfast.LockRequest;

import org.springframework.expression.EvaluationContext;

/**
 * All locks a method needs, and the order in which they are acquired.
 *
 * @param operations what each of the annotations asks for
 */
record LockPlan(List<LockOperation> operations) {

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
	 * @return the requests, outermost first; empty when the call needs no lock
	 */
	List<LockRequest> requests(EvaluationContext context) {
		if (this.operations.size() == 1) {
			LockOperation only = this.operations.get(0);
			return only.isNeeded(context) ? List.of(only.request(context)) : List.of();
		}
		List<LockRequest> wanted = this.operations.stream()
			.filter((operation) -> operation.isNeeded(context))
			.map((operation) -> operation.request(context))
			.toList();
		return joined(wanted.stream().flatMap(LockPlan::single).sorted(ORDER).toList());
	}

	private static Stream<LockRequest> single(LockRequest request) {
		return request.keys().stream().map((key) -> LockOperation.on(List.of(key), request));
	}

	/**
	 * Join neighbours that differ in nothing but their keys. Others than neighbours must
	 * stay apart: joined, they would no longer be acquired in the order of their keys.
	 */
	private static List<LockRequest> joined(List<LockRequest> ordered) {
		List<LockRequest> joined = new ArrayList<>();
		for (LockRequest next : ordered) {
			int last = joined.size() - 1;
			if (last >= 0 && differOnlyInKeys(joined.get(last), next)) {
				joined.set(last, join(joined.get(last), next));
			}
			else {
				joined.add(next);
			}
		}
		return joined;
	}

	private static boolean differOnlyInKeys(LockRequest one, LockRequest other) {
		return LockOperation.on(one.keys(), other).equals(one);
	}

	private static LockRequest join(LockRequest one, LockRequest other) {
		return LockOperation.on(Stream.concat(one.keys().stream(), other.keys().stream()).toList(), one);
	}

}
