package io.holdfast;

/**
 * What becomes of a guarded section whose lock is lost while it runs. Whatever is chosen,
 * a loss is logged, told to every {@link LockListener} and published as a
 * {@link LockLostEvent}.
 *
 * @since 0.1.0
 */
public enum OnLost {

	/**
	 * The section runs on; when it has ended without an exception of its own, the caller
	 * gets a {@link LockLostException} instead of its result.
	 */
	THROW,

	/**
	 * The section runs on and its result is returned; the log is all that tells.
	 */
	LOG,

	/**
	 * As {@link #THROW}, and the thread that owns the lock is interrupted at once. Its
	 * interrupt flag stays set unless the section clears it.
	 */
	INTERRUPT

}
