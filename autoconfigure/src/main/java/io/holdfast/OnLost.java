package io.holdfast;

/**
 * What to do if the lock of a guarded section is lost while it runs. In any case, the
 * loss is logged, every {@link LockListener} is notified, and a {@link LockLostEvent} is
 * published.
 *
 * @since 0.1.0
 */
public enum OnLost {

	/**
	 * The section continues; if it ends without an exception of its own, the caller gets
	 * a {@link LockLostException} instead of its result.
	 */
	THROW,

	/**
	 * The section continues, and the caller gets its result.
	 */
	LOG,

	/**
	 * As {@link #THROW}, and the thread that owns the lock is interrupted at once. Its
	 * interrupt flag is cleared when the section has ended.
	 */
	INTERRUPT

}
