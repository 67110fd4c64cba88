package io.holdfast.redis.inspect;

import org.jspecify.annotations.Nullable;

/**
 * A range of fencing tokens, which selects holds.
 *
 * @param smallest the smallest token
 * @param greatest the greatest token
 */
public record TokenRange(long smallest, long greatest) {

	/**
	 * Return a range of one token, or of all up to the last one.
	 * @param token the one token, or {@code null} for all
	 * @param last the last token
	 * @return the range
	 */
	public static TokenRange of(@Nullable Long token, long last) {
		return (token != null) ? new TokenRange(token, token) : new TokenRange(0, last);
	}

}
