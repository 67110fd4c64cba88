package io.holdfast.faults.shutdown;

import java.util.function.Supplier;

import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;

/**
 * Wait for a hundred locks, in all ways: for those of another instance, and for some that
 * this one holds.
 */
class Waiters {

	private final LockTemplate locks;

	private final AnnotatedWaiter annotated;

	private final Answers answers;

	private final String name;

	Waiters(LockTemplate locks, AnnotatedWaiter annotated, Answers answers, String name) {
		this.locks = locks;
		this.annotated = annotated;
		this.answers = answers;
		this.name = name;
	}

	void begin() {
		Crew.keys("busy", 20).forEach((key) -> Crew.start(() -> tell(key, () -> acquire(LockRequest.of(key)))));
		Crew.keys("fair-busy", 20)
			.forEach((key) -> Crew.start(() -> tell(key, () -> acquire(LockRequest.of(key).fair()))));
		Crew.keys("annotated-busy", 20).forEach((key) -> Crew.start(() -> tell(key, () -> this.annotated.workOn(key))));
		Crew.keys("async-busy", 20).forEach((key) -> acquireAsync(LockRequest.of(key)));
		Crew.keys(this.name + "-section", 10)
			.forEach((key) -> Crew.start(() -> tell(key, () -> acquire(LockRequest.of(key)))));
		Crew.keys(this.name + "-stage", 10).forEach((key) -> acquireAsync(LockRequest.of(key)));
	}

	private String acquire(LockRequest request) {
		return this.locks.execute(request.waitForever(), (lock) -> "got it");
	}

	private void acquireAsync(LockRequest request) {
		this.locks.acquireAsync(request.waitForever())
			.whenComplete((lock, failure) -> tell(request.lockKeys().get(0),
					() -> (failure != null) ? failure.toString() : "got it"));
	}

	private void tell(String key, Supplier<String> end) {
		this.answers.giveExpected("waiter for %s: %s", key, Crew.outcome(end));
	}

}
