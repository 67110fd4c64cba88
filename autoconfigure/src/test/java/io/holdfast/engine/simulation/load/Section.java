package io.holdfast.engine.simulation.load;

import java.time.Duration;
import java.util.Map;
import java.util.function.BooleanSupplier;

import io.holdfast.LockMode;
import io.holdfast.ReleaseResult;
import org.jspecify.annotations.Nullable;

/**
 * What runs under a lock, from the acquisition to the release.
 */
public final class Section {

	static final String UNKNOWN = "?";

	private final Attempt attempt;

	private final String owner;

	private final Map<String, Long> tokens;

	private final BooleanSupplier held;

	private final long entered;

	private long leaving = -1;

	private boolean left;

	private @Nullable ReleaseResult result;

	/**
	 * Create a section.
	 * @param tokens the fencing token of each key
	 * @param held tells whether it is still held
	 */
	Section(Attempt attempt, String owner, Map<String, Long> tokens, BooleanSupplier held, long entered) {
		this.attempt = attempt;
		this.owner = owner;
		this.tokens = tokens;
		this.held = held;
		this.entered = entered;
	}

	public Attempt attempt() {
		return this.attempt;
	}

	public String owner() {
		return this.owner;
	}

	/**
	 * Return whether it was still held when it began, so that one could see by whom.
	 */
	public boolean isOwnerKnown() {
		return !this.owner.equals(UNKNOWN);
	}

	public Map<String, Long> tokens() {
		return this.tokens;
	}

	public boolean isShared() {
		return this.attempt.mode() == LockMode.SHARED;
	}

	/**
	 * Return whether its caller is told that it is held, without letting anybody else
	 * run.
	 */
	public boolean isHeld() {
		return this.held.getAsBoolean();
	}

	public long entered() {
		return this.entered;
	}

	void leave(long now) {
		this.leaving = now;
	}

	/**
	 * Return the lease that was asked for.
	 */
	public Duration lease() {
		return this.attempt.instance().lease(this.attempt.request());
	}

	/**
	 * Return when its release began.
	 */
	public long leaving() {
		return this.leaving;
	}

	/**
	 * Return whether its release has begun.
	 */
	public boolean isLeaving() {
		return this.leaving >= 0;
	}

	void left(@Nullable ReleaseResult result) {
		this.left = true;
		this.result = result;
	}

	/**
	 * Return whether its release has ended.
	 */
	public boolean isLeft() {
		return this.left;
	}

	/**
	 * Return what came of the release, or {@code null} when that is not known.
	 */
	public @Nullable ReleaseResult result() {
		return this.result;
	}

	@Override
	public String toString() {
		return this.owner + this.tokens + (isShared() ? " shared" : "");
	}

}
