package io.holdfast.actuate;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Names of the threads that hold locks or wait for them, for others to know. Those that
 * are seen but once are passed over, since most locks are held for a moment only.
 */
final class ThreadNames {

	/**
	 * How many names are told. The ones that were seen last stay.
	 */
	static final int MOST = 256;

	private final Map<String, String> names = new LinkedHashMap<>(16, 0.75f, true) {

		private static final long serialVersionUID = 1L;

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
			return size() > MOST;
		}

	};

	private Set<String> seen = Set.of();

	/**
	 * Note who holds and waits.
	 * @param threads names of threads, by owner
	 * @return whether there is anything new to tell
	 */
	boolean note(Map<String, String> threads) {
		boolean news = false;
		for (Map.Entry<String, String> thread : threads.entrySet()) {
			if (this.seen.contains(thread.getKey())) {
				news |= !thread.getValue().equals(this.names.put(thread.getKey(), thread.getValue()));
			}
		}
		this.seen = new HashSet<>(threads.keySet());
		return news;
	}

	/**
	 * Return the names, by owner.
	 */
	Map<String, String> all() {
		return this.names;
	}

}
