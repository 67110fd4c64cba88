package io.holdfast.engine.simulation;

import java.util.Collections;
import java.util.List;

import io.holdfast.LockMode;
import io.holdfast.LockRequest;

/**
 * Somebody asks for a lock.
 */
final class Attempt {

	private final Instance instance;

	private final Thread thread = Thread.currentThread();

	private final LockRequest request;

	private final List<Section> around;

	private final long asked;

	private final long stalledBefore;

	private boolean cancelled;

	/**
	 * Create an attempt.
	 * @param around the sections that the thread is in already
	 */
	Attempt(Instance instance, LockRequest request, List<Section> around, long asked) {
		this.instance = instance;
		this.request = request;
		this.around = List.copyOf(around);
		this.asked = asked;
		this.stalledBefore = instance.host().stalledBefore(asked);
	}

	Instance instance() {
		return this.instance;
	}

	Thread thread() {
		return this.thread;
	}

	LockRequest request() {
		return this.request;
	}

	List<String> keys() {
		return this.request.keys();
	}

	boolean isShared() {
		return this.request.mode() == LockMode.SHARED;
	}

	boolean isFair() {
		return Boolean.TRUE.equals(this.request.ordered());
	}

	long waitFor() {
		return this.request.waitFor().isNegative() ? -1 : this.request.waitFor().toNanos();
	}

	List<Section> around() {
		return this.around;
	}

	long asked() {
		return this.asked;
	}

	boolean isForSame(Attempt other) {
		return !Collections.disjoint(keys(), other.keys());
	}

	/**
	 * Return for how long it could not go on because its host, or a thread there, stood
	 * still.
	 */
	long stalled() {
		return this.instance.host().stalled() - this.stalledBefore;
	}

	void cancel() {
		this.cancelled = true;
	}

	boolean isCancelled() {
		return this.cancelled;
	}

	@Override
	public String toString() {
		return "%s%s%s%s%s%s waiting %s".formatted(keys(), isShared() ? " shared" : "",
				(this.request.permits() > 0) ? " by " + this.request.permits() : "", isFair() ? " fair" : "",
				this.request.handleBound() ? " by handle" : "", this.around.isEmpty() ? "" : " in " + this.around,
				(waitFor() < 0) ? "for ever" : (waitFor() / 1000) + " us");
	}

}
