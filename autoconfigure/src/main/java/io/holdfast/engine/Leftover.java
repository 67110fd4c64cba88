package io.holdfast.engine;

/**
 * Something that may still be in the store although nobody here holds it.
 */
abstract class Leftover {

	private final Id id;

	private final long until;

	private volatile boolean settled;

	/**
	 * Create something to clear away.
	 * @param id whose it is
	 * @param until when it is gone by itself
	 */
	Leftover(Id id, long until) {
		this.id = id;
		this.until = until;
	}

	Id id() {
		return this.id;
	}

	long until() {
		return this.until;
	}

	/**
	 * Try to clear it away.
	 * @return whether there is nothing more to do
	 */
	abstract boolean clear();

	/**
	 * Return whether nobody is to have it now, its owner no more than others.
	 */
	boolean isToBeKept() {
		return false;
	}

	/**
	 * Note that there is nothing more to do.
	 */
	void settle() {
		this.settled = true;
	}

	boolean isSettled() {
		return this.settled;
	}

	/**
	 * Whose it is.
	 *
	 * @param key the key
	 * @param owner the owner's id
	 */
	record Id(String key, String owner) {

	}

}
