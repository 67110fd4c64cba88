package io.holdfast.actuate;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * The description of this instance for operators.
 *
 * @since 0.1.0
 */
public final class InstanceDetails {

	static final String APPLICATION = "application";

	static final String HOST = "host";

	static final String PID = "pid";

	private static final String THREAD = "thread:";

	private static final String LOCK_NAME = "name:";

	private final @Nullable String application;

	private final Supplier<String> host;

	/**
	 * Create details.
	 * @param application the application's name, or {@code null} when it has none
	 */
	public InstanceDetails(@Nullable String application) {
		this.application = application;
		this.host = SingletonSupplier.of(InstanceDetails::hostName);
	}

	/**
	 * Return what is known. The first call may take a moment to find the host's name.
	 */
	Map<String, String> toMap() {
		Map<String, String> details = new LinkedHashMap<>();
		if (StringUtils.hasText(this.application)) {
			details.put(APPLICATION, this.application);
		}
		details.put(HOST, this.host.get());
		details.put(PID, Long.toString(ProcessHandle.current().pid()));
		return details;
	}

	/**
	 * Return the field that has the name of an owner's thread.
	 */
	static String threadOf(OwnerId owner) {
		return THREAD + owner.local();
	}

	/**
	 * Return under what it is told that locks are called so.
	 */
	static String lockName(String name) {
		return LOCK_NAME + name;
	}

	/**
	 * Return the name of the lock of a key: the longest that an instance has told of its
	 * locks which the key begins with.
	 */
	static Optional<String> nameOf(String key, Map<String, String> details) {
		return details.keySet()
			.stream()
			.filter((field) -> field.startsWith(LOCK_NAME))
			.map((field) -> field.substring(LOCK_NAME.length()))
			.filter((name) -> key.startsWith(name + ":"))
			.max(Comparator.comparing(String::length));
	}

	private static String hostName() {
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "unknown";
		}
	}

}
