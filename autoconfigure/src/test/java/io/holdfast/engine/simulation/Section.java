package io.holdfast.engine.simulation;

import java.util.Map;
import java.util.function.BooleanSupplier;

import io.holdfast.LockHandle;
import io.holdfast.ReleaseResult;
import org.jspecify.annotations.Nullable;

/**
 * What runs under a lock, from the acquisition to the release.
 */
final class Section {

	static final String UNKNOWN = "?";

	private final Attempt attempt;

	private final String owner;

	private final Map<String, Long> tokens;

	private final BooleanSupplier held;

	private final @Nullable LockHandle handle;

	private final Runnable unlock;

	private long leaving = -1;

	private @Nullable ReleaseResult result;

	/**
	 * Create a section.
	 * @param tokens the fencing token of each key
	 * @param held tells whether it is still held
	 * @param handle the handle, or {@code null} when the lock was acquired by a view
	 * @param unlock what the view does then
	 */
	Section(Attempt attempt, String owner, Map<String, Long> tokens, BooleanSupplier held, @Nullable LockHandle handle,
			Runnable unlock) {
		this.attempt = attempt;
		this.owner = owner;
		this.tokens = tokens;
		this.held = held;
		this.handle = handle;
		this.unlock = unlock;
	}

	Attempt attempt() {
		return this.attempt;
	}

	String owner() {
		return this.owner;
	}

	boolean isOwnerKnown() {
		return !this.owner.equals(UNKNOWN);
	}

	Map<String, Long> tokens() {
		return this.tokens;
	}

	boolean isShared() {
		return this.attempt.isShared();
	}

	/**
	 * Return whether its caller is told that it is held, without letting anybody else
	 * run.
	 */
	boolean isHeld() {
		return this.held.getAsBoolean();
	}

	@Nullable LockHandle handle() {
		return this.handle;
	}

	/**
	 * Release the lock.
	 * @return what came of it, or {@code null} if a view does not say
	 */
	@Nullable ReleaseResult release() {
		if (this.handle != null) {
			return this.handle.release();
		}
		this.unlock.run();
		return null;
	}

	void leave(long now) {
		this.leaving = now;
	}

	long leaving() {
		return this.leaving;
	}

	void left(@Nullable ReleaseResult released) {
		this.result = released;
	}

	@Nullable ReleaseResult result() {
		return this.result;
	}

	@Override
	public String toString() {
		return this.owner + this.tokens + (isShared() ? " shared" : "");
	}

}
