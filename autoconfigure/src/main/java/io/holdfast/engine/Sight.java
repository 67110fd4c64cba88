package io.holdfast.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * What is known about locks in the store, from the answers to the last questions.
 */
final class Sight {

	private volatile @Nullable String holder;

	private volatile @Nullable LockStoreException failure;

	private long failingSince;

	/**
	 * Return who held the lock when it was last looked at.
	 */
	@Nullable String holder() {
		return this.holder;
	}

	void holder(@Nullable String holder) {
		this.holder = holder;
	}

	/**
	 * Return why the store cannot be asked, or {@code null} when it has answered last.
	 */
	@Nullable LockStoreException failure() {
		return this.failure;
	}

	/**
	 * Note that the store could not be asked.
	 * @param patience of whoever has asked
	 * @param longest how long the store may be out of reach for a wait without limit;
	 * negative for no limit. Any other wait has its own end
	 * @return whether to ask again
	 */
	boolean failed(LockStoreException failure, Patience patience, Duration longest) {
		long now = patience.now();
		if (this.failure == null) {
			this.failingSince = now;
		}
		this.failure = failure;
		boolean outOfReach = patience.isUnlimited() && !longest.isNegative()
				&& now - this.failingSince >= MonotonicClock.toNanos(longest);
		return failure.isTransient() && !outOfReach;
	}

	void answered() {
		this.failure = null;
	}

}
