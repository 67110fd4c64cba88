package io.holdfast.engine.simulation;

import java.util.Map;
import java.util.function.BooleanSupplier;

import io.holdfast.LockHandle;
import io.holdfast.ReleaseResult;
import org.jspecify.annotations.Nullable;

/**
 * What runs under a lock, from the acquisition to the release.
 *
 * @param tokens the fencing token of each key
 * @param held tells whether its caller is told that it is held, without letting anybody
 * else run
 * @param handle the handle, or {@code null} when the lock was acquired by a view
 * @param unlock what the view does then
 */
record Section(Attempt attempt, String owner, Map<String, Long> tokens, BooleanSupplier held,
		@Nullable LockHandle handle, Runnable unlock) {

	static final String UNKNOWN = "?";

	boolean isOwnerKnown() {
		return !this.owner.equals(UNKNOWN);
	}

	boolean isShared() {
		return this.attempt.isShared();
	}

	boolean isHeld() {
		return this.held.getAsBoolean();
	}

	@Nullable ReleaseResult release() {
		if (this.handle != null) {
			return this.handle.release();
		}
		this.unlock.run();
		return null;
	}

	@Override
	public String toString() {
		return this.owner + this.tokens + (isShared() ? " shared" : "");
	}

}
