package io.holdfast.engine.simulation;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.holdfast.LockMode;
import io.holdfast.LockRequest;

/**
 * Somebody asks for a lock.
 *
 * @param around the sections that the thread is in already
 * @param asked when
 * @param stalledBefore for how long its host had stood still until then
 * @param cancelled whether its caller has cancelled it
 */
record Attempt(Instance instance, Thread thread, LockRequest request, List<Section> around, long asked,
		long stalledBefore, AtomicBoolean cancelled) {

	Attempt(Instance instance, LockRequest request, List<Section> around, long asked) {
		this(instance, Thread.currentThread(), request, List.copyOf(around), asked,
				instance.host().stalledBefore(asked), new AtomicBoolean());
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

	long lease() {
		return this.instance.lease(this.request).toNanos();
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

	boolean isCancelled() {
		return this.cancelled.get();
	}

	@Override
	public String toString() {
		return "%s%s%s%s%s%s waiting %s".formatted(keys(), isShared() ? " shared" : "",
				(this.request.permits() > 0) ? " by " + this.request.permits() : "", isFair() ? " fair" : "",
				this.request.handleBound() ? " by handle" : "", this.around.isEmpty() ? "" : " in " + this.around,
				(waitFor() < 0) ? "for ever" : (waitFor() / 1000) + " us");
	}

}
