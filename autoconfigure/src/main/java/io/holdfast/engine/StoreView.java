package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.holdfast.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * The operators' view of a {@link LockStore} with the locks of all instances, and their
 * means to change it. Queries change nothing. All methods throw a
 * {@link LockStoreException} when the store does not answer.
 *
 * @since 0.1.0
 */
public interface StoreView {

	/**
	 * How many holders of a lock are listed, and how many waiters.
	 */
	int MOST = 100;

	/**
	 * Suffix of a holder's name in the store when the lock is no longer held but kept.
	 */
	String KEPT = ":kept";

	/**
	 * Return the state of those keys that are held or waited for, in the same order.
	 */
	List<KeyState> look(List<String> keys);

	/**
	 * Find held keys. Those that are granted or released meanwhile may be missed.
	 * @param most how many to find, about
	 * @param atMost how long to search; requests already sent are waited for after that
	 */
	HeldKeys heldKeys(int most, Duration atMost);

	/**
	 * Take a lock from its present holders, those that only keep it included, but not
	 * from a caller that is granted it meanwhile. The holders' instances are notified,
	 * and the first waiters woken.
	 * @param key the key
	 * @param token the token of the only hold to release, or {@code null} for all
	 * @param within the time after which nothing must change any more, however late the
	 * request reaches the store
	 * @return what was released
	 */
	ForcedRelease forceRelease(String key, @Nullable Long token, Duration within);

	/**
	 * A key as it is in the store.
	 *
	 * @param key the key
	 * @param mode whether it is shared, or {@code null} when it is not held
	 * @param permits how many may share it at a time; 0 for any number
	 * @param holders the first {@link #MOST} of those that hold or keep it
	 * @param holderCount number of holders
	 * @param waiters the first {@link #MOST} places in its queue, in order of arrival
	 * @param waiterCount number of waiters
	 * @param problem what is in the store in place of a lock, or {@code null}
	 */
	record KeyState(String key, @Nullable LockMode mode, int permits, List<Holder> holders, int holderCount,
			List<String> waiters, int waiterCount, @Nullable String problem) {

		public static KeyState empty(String key, @Nullable String problem) {
			return new KeyState(key, null, 0, List.of(), 0, List.of(), 0, problem);
		}

		public boolean isKnown() {
			return !this.holders.isEmpty() || !this.waiters.isEmpty() || this.problem != null;
		}

	}

	/**
	 * Result of a release by force.
	 *
	 * @param before the key as it was before
	 * @param released the holders that lost it; empty when it was not held, or only with
	 * other tokens
	 */
	record ForcedRelease(KeyState before, List<Holder> released) {

		public boolean isReleased() {
			return !this.released.isEmpty();
		}

	}

	/**
	 * An owner that holds a key.
	 *
	 * @param owner the owner's id
	 * @param kept whether the owner has released it, and {@code minHold} keeps it
	 * @param holdCount how many nested holds there are
	 * @param token the fencing token
	 * @param remaining how long it lasts unless it is renewed; negative for no end
	 */
	record Holder(String owner, boolean kept, int holdCount, long token, Duration remaining) {

		/**
		 * Create a holder from its name in the store: as
		 * {@link LockStore.HoldId#holder()}, followed by {@link #KEPT} when the lock is
		 * only kept.
		 */
		public static Holder of(String name, int holdCount, long token, Duration remaining) {
			boolean kept = name.endsWith(KEPT);
			String holder = kept ? name.substring(0, name.length() - KEPT.length()) : name;
			return new Holder(ownerOf(holder), kept, holdCount, token, remaining);
		}

		/**
		 * Return the owner's id, followed by {@link StoreView#KEPT} if the holder's name
		 * is.
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
	 * @param complete whether these are all
	 */
	record HeldKeys(Set<String> keys, boolean complete) {
	}

}
