package io.holdfast.redis;

import org.jspecify.annotations.Nullable;

/**
 * The holds that are meant, by their tokens.
 *
 * @param smallest the smallest token
 * @param greatest the greatest token
 */
record TokenRange(long smallest, long greatest) {

	/**
	 * Return a range of one token, or of all up to the last one.
	 */
	static TokenRange of(@Nullable Long token, long last) {
		return (token != null) ? new TokenRange(token, token) : new TokenRange(0, last);
	}

}
