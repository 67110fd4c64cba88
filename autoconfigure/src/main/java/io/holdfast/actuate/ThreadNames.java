package io.holdfast.actuate;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Names of the threads that hold locks or wait for them, to be announced. Threads that
 * are seen only once are left out, since most locks are held for a moment only.
 */
final class ThreadNames {

	/**
	 * How many names are announced. Present threads keep their names; those that have
	 * gone make room for others, longest gone first.
	 */
	static final int MOST = 256;

	private final Map<String, String> names = new LinkedHashMap<>(16, 0.75f, true);

	private Set<String> seen = Set.of();

	/**
	 * Return whether all holders and waiters were seen last time too: then no further
	 * check is needed.
	 * @param threads names of threads, by owner
	 */
	boolean isComplete(Map<String, String> threads) {
		return this.seen.containsAll(threads.keySet());
	}

	/**
	 * Note who holds and waits.
	 * @param threads names of threads, by owner
	 * @return whether there is anything new to announce
	 */
	boolean note(Map<String, String> threads) {
		Iterator<String> gone = gone(threads.keySet());
		boolean news = false;
		for (Map.Entry<String, String> thread : threads.entrySet()) {
			if (this.seen.contains(thread.getKey()) && hasRoom(thread.getKey(), gone)) {
				news |= !thread.getValue().equals(this.names.put(thread.getKey(), thread.getValue()));
			}
		}
		this.seen = Set.copyOf(threads.keySet());
		return news;
	}

	private Iterator<String> gone(Set<String> present) {
		return this.names.keySet().stream().filter((owner) -> !present.contains(owner)).toList().iterator();
	}

	private boolean hasRoom(String owner, Iterator<String> gone) {
		if (this.names.containsKey(owner) || this.names.size() < MOST) {
			return true;
		}
		if (!gone.hasNext()) {
			return false;
		}
		this.names.remove(gone.next());
		return true;
	}

	/**
	 * Return the names, by owner.
	 */
	Map<String, String> all() {
		return this.names;
	}

}
