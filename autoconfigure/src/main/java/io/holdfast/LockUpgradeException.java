package io.holdfast;

/**
 * Thrown at once when the holder of the shared lock of a key asks for the exclusive one.
 * Two holders that did so would wait for each other forever. The shared lock stays held.
 *
 * @since 0.1.0
 */
public class LockUpgradeException extends LockException {

	private static final long serialVersionUID = 1L;

	private final String key;

	/**
	 * Create an exception.
	 * @param key the key of the lock
	 * @param holder who holds the shared lock and asks for the exclusive one
	 */
	public LockUpgradeException(String key, String holder) {
		super("The exclusive lock of '%s' cannot be acquired by %s, which holds the shared one: ".formatted(key, holder)
				+ "release that first, or acquire the exclusive lock from the beginning");
		this.key = key;
	}

	/**
	 * Return the key of the lock.
	 * @return the key
	 */
	public String getKey() {
		return this.key;
	}

}
