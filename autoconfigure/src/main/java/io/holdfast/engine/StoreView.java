package io.holdfast.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

import io.holdfast.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * What operators see of a {@link LockStore}, whoever holds its locks, and what they do to
 * it. Looking changes nothing.
 *
 * <p>
 * All methods throw a {@link LockStoreException} when the store cannot be asked.
 *
 * @since 0.1.0
 */
public interface StoreView {

	/**
	 * How many of those who wait for a key are told.
	 */
	int MOST_WAITERS = 100;

	/**
	 * Stands behind the owner's id, as stores name holders, of a lock that is held no
	 * more but kept.
	 */
	String KEPT = ":kept";

	/**
	 * Look at keys.
	 * @param keys the keys
	 * @return those that somebody holds or waits for, in the same order
	 */
	List<KeyState> look(List<String> keys);

	/**
	 * Find out what is held. What is granted or released meanwhile may be found or not.
	 * @param limit how many keys to find at most; not all that the store has are gone
	 * through if there are very many
	 * @return the keys, in no order
	 */
	HeldKeys heldKeys(int limit);

	/**
	 * Take a lock away from whoever holds it, or for whom it is kept. The instances of
	 * the holders are told, and the first waiters woken.
	 * @param key the key
	 * @return what was held, or {@code null} when nothing was
	 */
	@Nullable KeyState takeAway(String key);

	/**
	 * Let others know who this instance is.
	 * @param details what there is to say; replaces what was said before
	 * @param lasts for how long
	 */
	void announce(Map<String, String> details, Duration lasts);

	/**
	 * Take back what was announced.
	 */
	void withdraw();

	/**
	 * Return what instances have announced.
	 * @param instanceIds the instances
	 * @return the details of each that is known
	 */
	Map<String, Map<String, String>> announced(Collection<String> instanceIds);

	/**
	 * A key as it is in the store.
	 *
	 * @param key the key
	 * @param mode whether it is shared, or {@code null} when nobody holds it
	 * @param holders who holds it, or has it kept; several may share it
	 * @param waiters the places of those in its queue, in order of arrival; no more than
	 * {@link #MOST_WAITERS}
	 */
	record KeyState(String key, @Nullable LockMode mode, List<Holder> holders, List<String> waiters) {

		/**
		 * Return whether somebody holds the key or waits for it.
		 * @return whether there is something to tell
		 */
		public boolean isKnown() {
			return !this.holders.isEmpty() || !this.waiters.isEmpty();
		}

	}

	/**
	 * Somebody who holds a key.
	 *
	 * @param owner the owner's id
	 * @param kept whether the owner has released it, and it is only kept from others
	 * @param holdCount how many nested holds there are
	 * @param token the fencing token
	 * @param remaining how long it lasts unless it is renewed; negative for no end
	 */
	record Holder(String owner, boolean kept, int holdCount, long token, Duration remaining) {

		/**
		 * Create a holder.
		 * @param name what the store calls it: the owner's id, with {@link #KEPT} behind
		 * it when the lock is only kept
		 * @param holdCount how many nested holds there are
		 * @param token the fencing token
		 * @param remaining how long it lasts unless it is renewed; negative for no end
		 * @return the holder
		 */
		public static Holder of(String name, int holdCount, long token, Duration remaining) {
			boolean kept = name.endsWith(KEPT);
			return new Holder(kept ? name.substring(0, name.length() - KEPT.length()) : name, kept, holdCount, token,
					remaining);
		}

	}

	/**
	 * Keys that somebody holds.
	 *
	 * @param keys the keys
	 * @param more whether there may be more
	 */
	record HeldKeys(List<String> keys, boolean more) {

	}

}
