package io.holdfast.engine.simulation.load;

import java.util.Collections;
import java.util.List;

import io.holdfast.LockMode;
import io.holdfast.LockRequest;

/**
 * Somebody asks for a lock.
 */
public final class Attempt {

	private final Instance instance;

	private final Thread thread;

	private final LockRequest request;

	private final long waitFor;

	private final List<Section> around;

	private final long asked;

	private final long stalledBefore;

	private boolean cancelled;

	/**
	 * Create an attempt.
	 * @param waitFor for how many nanoseconds to wait; negative for no limit
	 * @param around the sections that the thread is in already
	 */
	Attempt(Instance instance, LockRequest request, long waitFor, List<Section> around, long asked) {
		this.instance = instance;
		this.thread = Thread.currentThread();
		this.request = request;
		this.waitFor = waitFor;
		this.around = List.copyOf(around);
		this.asked = asked;
		this.stalledBefore = instance.host().stalls().before(asked);
	}

	public Instance instance() {
		return this.instance;
	}

	public Thread thread() {
		return this.thread;
	}

	public List<String> keys() {
		return this.request.keys();
	}

	public LockMode mode() {
		return this.request.mode();
	}

	public long waitFor() {
		return this.waitFor;
	}

	public boolean isUnlimited() {
		return this.waitFor < 0;
	}

	public LockRequest request() {
		return this.request;
	}

	public List<Section> around() {
		return this.around;
	}

	public long asked() {
		return this.asked;
	}

	/**
	 * Return whether another one is for some of the same keys.
	 */
	public boolean isForSame(Attempt other) {
		return !Collections.disjoint(keys(), other.keys());
	}

	/**
	 * Return for how long it could not go on because its host, or a thread there, stood
	 * still.
	 */
	public long stalled() {
		return this.instance.host().stalls().total() - this.stalledBefore;
	}

	/**
	 * The caller has decided to do without.
	 */
	void cancel() {
		this.cancelled = true;
	}

	public boolean isCancelled() {
		return this.cancelled;
	}

	@Override
	public String toString() {
		return "%s%s%s%s%s%s waiting %s".formatted(keys(), (mode() == LockMode.SHARED) ? " shared" : "",
				(this.request.permits() > 0) ? " by " + this.request.permits() : "",
				Boolean.TRUE.equals(this.request.ordered()) ? " fair" : "",
				this.request.handleBound() ? " by handle" : "", this.around.isEmpty() ? "" : " in " + this.around,
				(this.waitFor < 0) ? "for ever" : (this.waitFor / 1000) + " us");
	}

}
