package io.holdfast.engine.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

import io.holdfast.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * What operators see of a {@link LockStore}, of all instances, and what they do to it.
 * Looking changes nothing.
 *
 * <p>
 * All methods throw a {@link LockStoreException} when the store cannot be asked.
 *
 * @since 0.1.0
 */
public interface StoreView {

	/**
	 * How many of those who share a key are told.
	 */
	int MOST_HOLDERS = 100;

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
	 * Stands behind the id of an instance, as the owner of a lock that it retains without
	 * using it.
	 */
	String RETAINED = ":retained";

	/**
	 * Return whether a lock is retained.
	 * @param owner the owner's id, or {@code null}
	 * @return whether it is that of an instance
	 */
	static boolean isRetained(@Nullable String owner) {
		return owner != null && owner.endsWith(RETAINED);
	}

	/**
	 * Look at keys.
	 * @param keys the keys
	 * @return those that are held or waited for, in the same order
	 */
	List<KeyState> look(List<String> keys);

	/**
	 * Find out what is held. What is granted or released meanwhile may be found or not.
	 * @param prefix what the keys begin with; may be empty
	 * @param limit how many keys to find at most; not all that the store has are gone
	 * through if there are very many
	 * @param atMost how long to go on looking; the answers of the store are waited for,
	 * but when the time is over, no further question is asked
	 * @return the keys, in no order
	 */
	HeldKeys heldKeys(String prefix, int limit, Duration atMost);

	/**
	 * Release a lock by force: take it from those who hold it now, or for whom it is kept
	 * now, but not from a caller that is granted it meanwhile. The instances of the
	 * holders are told, and the first waiters woken.
	 * @param key the key
	 * @param token the token of the only hold to release, or {@code null} for all that
	 * there are
	 * @param within the time after which nothing is to be changed any more, however late
	 * the store is reached
	 * @return what was released
	 */
	ForcedRelease forceRelease(String key, @Nullable Long token, Duration within);

	/**
	 * Let others know who this instance is.
	 * @param details what there is to say; replaces what was said before
	 * @param lasts for how long
	 */
	void announce(Map<String, String> details, Duration lasts);

	/**
	 * Have others know for longer what was announced.
	 * @param lasts for how long from now on
	 * @return {@code false} when it has expired, so that it is to be announced again
	 */
	boolean prolongAnnouncement(Duration lasts);

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
	 * @param mode whether it is shared, or {@code null} when it is not held
	 * @param holders who holds it, or has it kept; several may share it, of whom no more
	 * than {@link #MOST_HOLDERS} are told
	 * @param holderCount how many they are
	 * @param waiters the places of those in its queue, in order of arrival; no more than
	 * {@link #MOST_WAITERS}
	 * @param waiterCount how many there are
	 * @param problem what is in the store in place of a lock, or {@code null}
	 */
	record KeyState(String key, @Nullable LockMode mode, List<Holder> holders, int holderCount, List<String> waiters,
			int waiterCount, @Nullable String problem) {

		/**
		 * Create the state of a key of which all is told.
		 * @param key the key
		 * @param mode whether it is shared, or {@code null} when it is not held
		 * @param holders who holds it, or has it kept
		 * @param waiters the places of those in its queue
		 */
		public KeyState(String key, @Nullable LockMode mode, List<Holder> holders, List<String> waiters) {
			this(key, mode, holders, holders.size(), waiters, waiters.size(), null);
		}

		/**
		 * Create the state of a key under which there is something else in the store.
		 * @param key the key
		 * @param problem what is there
		 * @return the state
		 */
		public static KeyState noLock(String key, String problem) {
			return new KeyState(key, null, List.of(), 0, List.of(), 0, problem);
		}

		/**
		 * Return whether the key is held, or waited for, or cannot be.
		 * @return whether there is something to tell
		 */
		public boolean isKnown() {
			return !this.holders.isEmpty() || !this.waiters.isEmpty() || this.problem != null;
		}

	}

	/**
	 * What became of a release by force.
	 *
	 * @param before the key as it was before
	 * @param released those who have lost it; none when it was not held, or with other
	 * tokens only
	 */
	record ForcedRelease(KeyState before, List<Holder> released) {

		/**
		 * Return whether a holder has lost the key.
		 * @return whether anything was released
		 */
		public boolean isReleased() {
			return !this.released.isEmpty();
		}

	}

	/**
	 * An owner that holds a key.
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
		 * @param name what the store calls it: as {@link LockStore.HoldId#holder()}, with
		 * {@link #KEPT} behind it when the lock is only kept
		 * @param holdCount how many nested holds there are
		 * @param token the fencing token
		 * @param remaining how long it lasts unless it is renewed; negative for no end
		 * @return the holder
		 */
		public static Holder of(String name, int holdCount, long token, Duration remaining) {
			boolean kept = name.endsWith(KEPT);
			String holder = kept ? name.substring(0, name.length() - KEPT.length()) : name;
			return new Holder(ownerOf(holder), kept, holdCount, token, remaining);
		}

		/**
		 * Return whose a hold is.
		 * @param holder what the store calls the holder
		 * @return the owner's id, with {@link StoreView#KEPT} behind it where the holder
		 * has that
		 */
		public static String ownerOf(String holder) {
			int number = holder.lastIndexOf('#');
			int end = number + 1;
			while (end < holder.length() && Character.isDigit(holder.charAt(end))) {
				end++;
			}
			String rest = holder.substring(end);
			boolean numbered = number > 0 && (rest.isEmpty() || rest.equals(KEPT));
			return numbered ? holder.substring(0, number) + rest : holder;
		}

	}

	/**
	 * Keys that are held.
	 *
	 * @param keys the keys
	 * @param more whether there may be more
	 */
	record HeldKeys(List<String> keys, boolean more) {

	}

}
