package io.holdfast.engine.store;

import io.holdfast.engine.store.StoreView.ForcedRelease;

/**
 * Thrown when a release by force was begun, but may not be complete.
 *
 * @since 0.1.0
 */
public final class UnfinishedReleaseException extends LockStoreException {

	private static final long serialVersionUID = 1L;

	private final transient ForcedRelease release;

	private final boolean uncertain;

	private UnfinishedReleaseException(ForcedRelease release, boolean uncertain, LockStoreException cause) {
		super(String.valueOf(cause.getMessage()), cause, cause.isTransient());
		this.release = release;
		this.uncertain = uncertain;
	}

	/**
	 * Create an exception for a release that may have done more than is known.
	 * @param release what is known to have been released
	 * @param cause why no more is known
	 * @return the exception
	 */
	public static UnfinishedReleaseException uncertain(ForcedRelease release, LockStoreException cause) {
		return new UnfinishedReleaseException(release, true, cause);
	}

	/**
	 * Create an exception for a release that was done only in part.
	 * @param release what has been released
	 * @param cause why no more was
	 * @return the exception
	 */
	public static UnfinishedReleaseException incomplete(ForcedRelease release, LockStoreException cause) {
		return new UnfinishedReleaseException(release, false, cause);
	}

	/**
	 * Return what is known to have been released.
	 * @return the holders that have certainly lost the lock
	 */
	public ForcedRelease release() {
		return this.release;
	}

	/**
	 * Return whether more may have been released than is known.
	 * @return whether the answer of the store is missing
	 */
	public boolean isUncertain() {
		return this.uncertain;
	}

}
