package io.holdfast.sample.live;

import java.util.Locale;
import java.util.Set;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The names under which the sample can be asked for.
 *
 * @param hosts names besides those of this machine for itself
 */
@ConfigurationProperties("sample.web")
record ServedHosts(@DefaultValue Set<String> hosts) {

	private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

	boolean contains(String name) {
		return LOOPBACK.contains(name.toLowerCase(Locale.ROOT)) || this.hosts.stream().anyMatch(name::equalsIgnoreCase);
	}

}
