package io.holdfast.actuate;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.Map;
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

	private final @Nullable String application;

	private final Supplier<String> host;

	/**
	 * Create details.
	 * @param application the application's name, or {@code null} when it has none
	 */
	public InstanceDetails(@Nullable String application) {
		this.application = StringUtils.hasText(application) ? application : null;
		this.host = SingletonSupplier.of(InstanceDetails::hostName);
	}

	@Nullable String application() {
		return this.application;
	}

	Map<String, String> toMap() {
		Map<String, String> details = new LinkedHashMap<>();
		if (this.application != null) {
			details.put(APPLICATION, this.application);
		}
		details.put(HOST, this.host.get());
		details.put(PID, Long.toString(ProcessHandle.current().pid()));
		return details;
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
