package io.holdfast.actuate;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.util.Assert;

/**
 * The names of locks as values of a tag. Their number is limited, whatever names locks
 * are given: later ones are {@code other}.
 *
 * @since 0.1.0
 */
public final class LockNames {

	private static final Logger logger = LoggerFactory.getLogger(LockNames.class);

	private static final String NONE = "none";

	private static final String OTHER = "other";

	private final Set<String> names = ConcurrentHashMap.newKeySet();

	private final int limit;

	private boolean exceeded;

	/**
	 * Create an empty set of names.
	 * @param limit how many there may be; zero for no names
	 */
	public LockNames(int limit) {
		Assert.isTrue(limit >= 0, "'limit' must not be negative");
		this.limit = limit;
	}

	/**
	 * Return the value for a name.
	 * @param name the name, or {@code null} when the lock has none
	 * @return the name, {@code none} or {@code other}
	 */
	public String tag(@Nullable String name) {
		if (name == null) {
			return NONE;
		}
		return (this.names.contains(name) || add(name)) ? name : OTHER;
	}

	private synchronized boolean add(String name) {
		if (this.names.size() < this.limit) {
			this.names.add(name);
			return true;
		}
		if (!this.exceeded && this.limit > 0) {
			this.exceeded = true;
			logger.warn("Locks have more than {} names: metrics count '{}', and all later ones, as '{}'."
					+ " Names must not contain data, which belongs in the key; if there are so many kinds of locks,"
					+ " raise 'holdfast.metrics.max-names'", this.limit, name, OTHER);
		}
		return this.names.contains(name);
	}

}
