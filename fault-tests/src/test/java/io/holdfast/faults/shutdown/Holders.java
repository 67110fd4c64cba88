package io.holdfast.faults.shutdown;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.ReleaseResult;

/**
 * Hold a hundred locks: in sections, by handles that belong to no thread, and until
 * stages are complete, which takes longest.
 */
class Holders {

	private static final String HELD = "held to the end";

	private final LockTemplate locks;

	private final Work work;

	private final Answers answers;

	private final String name;

	private final Duration more;

	/**
	 * Create holders.
	 * @param name what their keys are called after
	 * @param more for how long they go on when the application is asked to end
	 */
	Holders(LockTemplate locks, Work work, Answers answers, String name, Duration more) {
		this.locks = locks;
		this.work = work;
		this.answers = answers;
		this.name = name;
		this.more = more;
	}

	void begin() {
		Crew.keys(this.name + "-section", 60).forEach((key) -> Crew.start(() -> tell(key, () -> section(key))));
		List<LockHandle> handles = Crew.keys(this.name + "-handle", 20).map(this::acquire).toList();
		Crew.start(() -> {
			this.work.last(this.more);
			handles.forEach((handle) -> tell(handle.keys().get(0), () -> release(handle)));
		});
		CompletableFuture<String> stage = new CompletableFuture<>();
		Crew.keys(this.name + "-stage", 20).forEach((key) -> hold(key, stage));
		Crew.start(() -> {
			this.work.last(this.more);
			this.work.lastUntilRenewed();
			stage.complete("worked");
		});
	}

	private String section(String key) {
		return this.locks.execute(key, (lock) -> {
			noteLoss(lock);
			this.work.last(this.more);
			return state(lock);
		});
	}

	private LockHandle acquire(String key) {
		LockHandle handle = this.locks.acquire(LockRequest.of(key).ownedByHandle());
		noteLoss(handle);
		return handle;
	}

	private static String release(LockHandle handle) {
		String state = state(handle);
		ReleaseResult result = handle.release();
		return (result == ReleaseResult.RELEASED) ? state : result.toString();
	}

	private void hold(String key, CompletableFuture<String> stage) {
		this.locks.executeAsync(LockRequest.of(key), (lock) -> {
			noteLoss(lock);
			return stage.thenApply((worked) -> state(lock));
		}).whenComplete((state, failure) -> tell(key, () -> (failure != null) ? failure.toString() : state));
	}

	private void noteLoss(LockHandle lock) {
		lock.onLost((lost) -> this.answers.give("%s: lost", lost.keys().get(0)));
	}

	private static String state(LockHandle lock) {
		return lock.isHeld() ? HELD : "not held";
	}

	private void tell(String key, Supplier<String> end) {
		this.answers.giveExpected("%s: %s", key, Crew.outcome(end));
	}

}
