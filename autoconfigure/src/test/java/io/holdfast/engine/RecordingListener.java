package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.LockListener;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.NotAcquiredReason;
import io.holdfast.ReleaseResult;

/**
 * Remembers all it is told.
 */
public final class RecordingListener implements LockListener {

	private final List<LockSnapshot> acquired = new CopyOnWriteArrayList<>();

	private final List<LockRequest> notAcquired = new CopyOnWriteArrayList<>();

	private final List<NotAcquiredReason> reasons = new CopyOnWriteArrayList<>();

	private final List<ReleaseResult> released = new CopyOnWriteArrayList<>();

	private final List<LockSnapshot> lost = new CopyOnWriteArrayList<>();

	@Override
	public void onAcquired(LockSnapshot lock, Duration waited) {
		this.acquired.add(lock);
	}

	@Override
	public void onNotAcquired(LockRequest request, Duration waited) {
		this.notAcquired.add(request);
	}

	@Override
	public void onNotAcquired(LockRequest request, Duration waited, NotAcquiredReason reason) {
		this.reasons.add(reason);
		LockListener.super.onNotAcquired(request, waited, reason);
	}

	@Override
	public void onReleased(LockSnapshot lock, Duration held, ReleaseResult result) {
		this.released.add(result);
	}

	@Override
	public void onLost(LockSnapshot lock, Throwable cause) {
		this.lost.add(lock);
	}

	public List<LockSnapshot> acquired() {
		return this.acquired;
	}

	public List<LockRequest> notAcquired() {
		return this.notAcquired;
	}

	public List<NotAcquiredReason> reasons() {
		return this.reasons;
	}

	public List<ReleaseResult> released() {
		return this.released;
	}

	public List<LockSnapshot> lost() {
		return this.lost;
	}

}
