package io.holdfast.engine;

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
	 * Return since when the store cannot be asked. For whoever asks it.
	 */
	long failingSince() {
		return this.failingSince;
	}

	void failed(LockStoreException failure, long now) {
		if (this.failure == null) {
			this.failingSince = now;
		}
		this.failure = failure;
	}

	void answered() {
		this.failure = null;
	}

}
