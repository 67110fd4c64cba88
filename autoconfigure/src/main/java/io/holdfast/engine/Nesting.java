package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.LockMode;
import io.holdfast.engine.runtime.MonotonicClock;
import org.jspecify.annotations.Nullable;

/**
 * The nested acquisitions that make up a {@link Hold}, each with those who want to be
 * told if the hold is lost before it has been released. Guarded by the hold.
 */
final class Nesting {

	private final List<HoldHandle> handles = new ArrayList<>(1);

	private final List<LossListener> listeners = new ArrayList<>(0);

	/**
	 * Until when the handles that were released want the keys to stay taken.
	 */
	private long keptUntil;

	/**
	 * The same for those that were exclusive.
	 */
	private long exclusiveUntil;

	/**
	 * Begin with no handle.
	 * @param now the present time
	 */
	Nesting(long now) {
		this.keptUntil = now;
		this.exclusiveUntil = now;
	}

	int size() {
		return this.handles.size();
	}

	void open(HoldHandle handle) {
		this.handles.add(handle);
	}

	/**
	 * Return the handles that are being released, or were to be.
	 */
	List<HoldHandle> givenUp() {
		return this.handles.stream().filter(HoldHandle::isGivenUp).toList();
	}

	/**
	 * Take off a handle, with its listeners.
	 */
	void close(HoldHandle handle) {
		this.handles.remove(handle);
		this.keptUntil = MonotonicClock.later(this.keptUntil, handle.keptUntil());
		this.exclusiveUntil = exclusiveUntil(handle);
		this.listeners.removeIf((listener) -> listener.handle() == handle);
	}

	/**
	 * Take off all handles.
	 */
	void clear() {
		this.handles.clear();
		this.listeners.clear();
	}

	/**
	 * Return whether some handle besides one needs the hold to be exclusive.
	 */
	boolean isExclusiveBesides(HoldHandle handle) {
		return this.handles.stream().anyMatch((other) -> other != handle && other.mode() == LockMode.EXCLUSIVE);
	}

	/**
	 * Return until when the keys are to stay taken, even if all handles are released
	 * earlier.
	 */
	long keptUntil() {
		long latest = this.keptUntil;
		for (HoldHandle handle : this.handles) {
			latest = MonotonicClock.later(latest, handle.keptUntil());
		}
		return latest;
	}

	/**
	 * Return until when the keys are not to be shared.
	 * @param leaving a handle that is being released
	 */
	long exclusiveUntil(HoldHandle leaving) {
		return (leaving.mode() == LockMode.EXCLUSIVE) ? MonotonicClock.later(this.exclusiveUntil, leaving.keptUntil())
				: this.exclusiveUntil;
	}

	/**
	 * Return the longest lease that any of the handles still wants.
	 * @return the lease, or {@code null} when none wants one
	 */
	@Nullable Duration wantedLease() {
		Duration longest = null;
		for (HoldHandle handle : this.handles) {
			Duration wanted = handle.wantedLease();
			longest = (longest == null || (wanted != null && wanted.compareTo(longest) > 0)) ? wanted : longest;
		}
		return longest;
	}

	/**
	 * Register for the loss, unless the handle has been released.
	 */
	void onLoss(HoldHandle handle, Runnable listener) {
		if (this.handles.contains(handle)) {
			this.listeners.add(new LossListener(handle, listener));
		}
	}

	List<Runnable> lossListeners() {
		return this.listeners.stream().map(LossListener::call).toList();
	}

	private record LossListener(HoldHandle handle, Runnable call) {
	}

}
