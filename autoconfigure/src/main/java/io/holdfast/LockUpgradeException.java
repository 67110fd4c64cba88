package io.holdfast;

/**
 * Thrown at once when the holder of the shared lock of a key requests the exclusive one.
 * Two holders that did so would wait for each other forever. The shared lock remains
 * held.
 *
 * @since 0.1.0
 */
public class LockUpgradeException extends LockException {

	private static final long serialVersionUID = 1L;

	private final String key;

	/**
	 * Create an exception.
	 * @param key the key of the lock
	 * @param holder the holder of the shared lock that requests the exclusive one
	 */
	public LockUpgradeException(String key, String holder) {
		super("The exclusive lock of '%s' cannot be acquired by %s, which holds the shared one: ".formatted(key, holder)
				+ "release it first, or acquire the exclusive lock from the start");
		this.key = key;
	}

	/**
	 * Return the key of the lock.
	 * @return the key; of several up to ten, and how many others there are
	 */
	public String getKey() {
		return this.key;
	}

}
