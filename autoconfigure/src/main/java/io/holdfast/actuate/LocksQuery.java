package io.holdfast.actuate;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/**
 * Which locks to tell of.
 *
 * @param cluster whether to return the locks of all instances
 * @param limit of how many at most
 * @param prefix what their keys begin with; may be empty
 */
record LocksQuery(boolean cluster, int limit, String prefix) {

	/**
	 * The default number: locks of other instances are looked up one by one.
	 */
	private static final int MOST_OF_CLUSTER = 100;

	static final int MOST = 1_000;

	/**
	 * Read a query.
	 * @param scope {@code instance}, {@code cluster}, or {@code null} for the former
	 * @param limit how many locks, or {@code null} for as many of this instance as there
	 * can be, or a hundred of all instances
	 * @param prefix what their keys begin with, or {@code null} for all
	 * @param name what they are called, which is what their keys begin with, or
	 * {@code null} for all
	 */
	static LocksQuery of(@Nullable String scope, @Nullable String limit, @Nullable String prefix,
			@Nullable String name) {
		boolean cluster = "cluster".equals(scope);
		if (scope != null && !cluster && !scope.equals("instance")) {
			throw invalid("'scope' must be 'instance' or 'cluster', not '%s'".formatted(scope));
		}
		int most = cluster ? MOST_OF_CLUSTER : MOST;
		return new LocksQuery(cluster, (limit != null) ? limit(limit) : most, prefix(prefix, name));
	}

	private static String prefix(@Nullable String prefix, @Nullable String name) {
		if (prefix != null && name != null) {
			throw invalid("'prefix' and 'name' do not go together: name=%s means prefix=%s:".formatted(name, name));
		}
		if (name != null) {
			return name + ":";
		}
		return (prefix != null) ? prefix : "";
	}

	private static int limit(String limit) {
		Long number = OwnerId.toLong(limit);
		if (number == null || number < 1 || number > MOST) {
			throw invalid("'limit' must be a number from 1 to %d, not '%s'".formatted(MOST, limit));
		}
		return number.intValue();
	}

	/**
	 * Read a fencing token.
	 * @param token the token, or {@code null} for none
	 */
	static @Nullable Long token(@Nullable String token) {
		Long number = (token != null) ? OwnerId.toLong(token) : null;
		if (token != null && number == null) {
			throw invalid("'token' must be the number that is shown for the lock, not '%s'".formatted(token));
		}
		return number;
	}

	static InvalidEndpointRequestException invalid(String message) {
		return new InvalidEndpointRequestException(message, message);
	}

}
