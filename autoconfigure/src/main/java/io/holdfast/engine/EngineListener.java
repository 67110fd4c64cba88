package io.holdfast.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.holdfast.LockMode;
import io.holdfast.LockSnapshot;
import io.holdfast.engine.LockStore.HoldId;
import org.jspecify.annotations.Nullable;

/**
 * Is notified of events of an engine, on the threads that cause them. Its methods must
 * return at once and not throw. Beans of this type listen to the engine that is
 * auto-configured: they exist before it, and look up locks only when they need them.
 *
 * @since 0.1.0
 */
public interface EngineListener {

	/**
	 * A caller asks for locks that it does not hold yet.
	 * @param owner id of the owner that the locks are for
	 */
	default void asked(String owner) {
	}

	/**
	 * A lock is held.
	 * @param lock the lock
	 */
	default void held(HeldLock lock) {
	}

	/**
	 * A lock is not held any more.
	 * @param lock the lock
	 */
	default void ended(HeldLock lock) {
	}

	/**
	 * A lock was lost. Unlike other events, this one is told on a thread that may block.
	 * @param lock the lock
	 * @param cause why it was lost
	 */
	default void lost(LockSnapshot lock, Throwable cause) {
	}

	/**
	 * Leases were renewed, or their locks are known to be lost.
	 * @param count how many
	 */
	default void renewed(long count) {
	}

	/**
	 * Leases could not be renewed.
	 * @param count how many
	 */
	default void renewalFailed(long count) {
	}

	/**
	 * A lock that is held, from its grant to its end.
	 */
	interface HeldLock {

		/**
		 * Return who holds what.
		 * @return the keys, with their tokens, and the owner
		 */
		HoldId id();

		/**
		 * Return the lock's mode.
		 * @return the mode as it is now
		 */
		LockMode mode();

		/**
		 * Return whether it is held: neither being released nor known to be lost.
		 * @return whether it is
		 */
		boolean isOpen();

		/**
		 * Return a snapshot of the lock.
		 * @return the lock as it is now
		 */
		LockSnapshot snapshot();

	}

	/**
	 * A caller of this instance that waits for a lock, as it was at one moment.
	 *
	 * @param keys the keys that it waits for
	 * @param name the locks' name of low cardinality, or {@code null} when they have none
	 * @param mode exclusive or shared
	 * @param owner the owner's id
	 * @param threadName name of the thread that asked
	 * @param since when it asked, on the wall clock
	 * @param waited for how long it has waited
	 * @param holder owner of one of the locks when the store last answered, or
	 * {@code null} if unknown
	 * @param holderName description of that owner, followed by its id; or what else is in
	 * the way, as far as it is known
	 * @since 0.1.0
	 */
	record LockWait(List<String> keys, @Nullable String name, LockMode mode, String owner, String threadName,
			Instant since, Duration waited, @Nullable String holder, @Nullable String holderName) {
	}

}
