package io.holdfast.actuate;

import java.util.Collection;

import org.jspecify.annotations.Nullable;

/**
 * Parameters of a request that make no sense twice.
 */
final class GivenOnce {

	private GivenOnce() {
	}

	/**
	 * Return the value of a parameter.
	 * @param name its name
	 * @param value a string, several of them in a collection, or {@code null}
	 * @throws org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException
	 * when it was given more than once
	 */
	static @Nullable String check(String name, @Nullable Object value) {
		if (value instanceof Collection<?> values) {
			throw LocksQuery.invalid(
					"'%s' must be given once, not %d times: ask for each on its own".formatted(name, values.size()));
		}
		return (value != null) ? value.toString() : null;
	}

}
