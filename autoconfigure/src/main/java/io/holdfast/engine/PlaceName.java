package io.holdfast.engine;

import io.holdfast.LockMode;

/**
 * Name of a place in the queue of a lock: {@code <owner>#<n>}, followed by
 * {@code ,several} and {@code ,shared} if its waiter asks for that. The scripts in Redis
 * read it as well.
 *
 * @param owner the waiting owner's id
 * @param number the number of the owner's wait
 * @param several whether it waits for several keys, in order of arrival
 * @param mode exclusive or shared
 * @since 0.1.0
 */
public record PlaceName(String owner, long number, boolean several, LockMode mode) {

	private static final char NUMBER = '#';

	private static final String SEVERAL = ",several";

	private static final String SHARED = ",shared";

	// A text without a number is taken as the owner's id
	public static PlaceName of(String text) {
		boolean shared = text.endsWith(SHARED);
		String rest = shared ? text.substring(0, text.length() - SHARED.length()) : text;
		boolean several = rest.endsWith(SEVERAL);
		rest = several ? rest.substring(0, rest.length() - SEVERAL.length()) : rest;
		int end = rest.lastIndexOf(NUMBER);
		return new PlaceName((end < 0) ? rest : rest.substring(0, end), number(rest.substring(end + 1)), several,
				shared ? LockMode.SHARED : LockMode.EXCLUSIVE);
	}

	private static long number(String text) {
		try {
			return Long.parseLong(text);
		}
		catch (NumberFormatException ex) {
			return 0;
		}
	}

	@Override
	public String toString() {
		return this.owner + NUMBER + this.number + (this.several ? SEVERAL : "")
				+ ((this.mode == LockMode.SHARED) ? SHARED : "");
	}

}
