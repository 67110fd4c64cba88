package io.holdfast.quorum;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * Where one of several independent masters is, and how to log in.
 *
 * @param login user and password, in which a colon ends the user, or {@code null} for
 * none
 */
record RedisNode(String host, int port, int database, boolean isSsl, @Nullable String login) {

	private static final int DEFAULT_PORT = 6379;

	private static final int LAST_PORT = 65_535;

	private static final Set<String> SCHEMES = Set.of("redis", "rediss");

	// What follows the login. URI takes no host with an underscore, as names of
	// containers have
	private static final Pattern ADDRESS = Pattern.compile("(\\[[^]]+]|[^:]+)(?::(\\d{0,5}))?");

	// Each like rediss://user:password@host:port/database
	static List<RedisNode> parseAll(List<String> urls) {
		List<RedisNode> nodes = new ArrayList<>();
		for (String url : urls) {
			try {
				nodes.add(parse(url));
			}
			catch (IllegalArgumentException ex) {
				throw new InvalidRedisNodesFailureAnalyzer.InvalidRedisNodesException(
						List.of("number " + (nodes.size() + 1)), String.valueOf(ex.getMessage()));
			}
		}
		return nodes;
	}

	// No message of a failure has in it what may be a password
	private static RedisNode parse(String text) {
		URI url = uri(text);
		String authority = url.getRawAuthority();
		require(url.getScheme() != null && SCHEMES.contains(url.getScheme()) && authority != null,
				"Each must be a redis:// or rediss:// URL with a host.");
		require(url.getRawQuery() == null && url.getRawFragment() == null,
				"None may have options after '?' or '#': they would be ignored.");
		Matcher address = ADDRESS.matcher(authority.substring(authority.lastIndexOf('@') + 1));
		require(address.matches(), "Each must be a redis:// or rediss:// URL with a host.");
		return new RedisNode(address.group(1).toLowerCase(Locale.ROOT), port(address.group(2)), database(url.getPath()),
				"rediss".equals(url.getScheme()), login(url));
	}

	private static URI uri(String text) {
		try {
			return new URI(text);
		}
		catch (URISyntaxException ex) {
			throw new IllegalArgumentException("Each must be a redis:// or rediss:// URL with a host.");
		}
	}

	private static int port(@Nullable String text) {
		if (text == null || text.isEmpty()) {
			return DEFAULT_PORT;
		}
		int port = Integer.parseInt(text);
		require(port > 0 && port <= LAST_PORT, "The port must be a number from 1 to 65535.");
		return port;
	}

	private static int database(@Nullable String path) {
		if (path == null || path.length() <= 1) {
			return 0;
		}
		try {
			return Integer.parseUnsignedInt(path, 1, path.length(), 10);
		}
		catch (NumberFormatException ex) {
			throw new IllegalArgumentException("The part after the host and '/' must be the number of a database.");
		}
	}

	private static @Nullable String login(URI url) {
		String authority = url.getAuthority();
		int end = authority.lastIndexOf('@');
		return (end >= 0) ? authority.substring(0, end) : null;
	}

	private static void require(boolean condition, String reason) {
		if (!condition) {
			throw new IllegalArgumentException(reason);
		}
	}

	String server() {
		return this.host + ":" + this.port;
	}

	RedisStandaloneConfiguration configuration() {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(this.host, this.port);
		configuration.setDatabase(this.database);
		if (this.login != null) {
			int colon = this.login.indexOf(':');
			configuration.setUsername((colon > 0) ? this.login.substring(0, colon) : null);
			configuration.setPassword(RedisPassword.of(this.login.substring(colon + 1)));
		}
		return configuration;
	}

	// Does not tell the password
	@Override
	public String toString() {
		return server();
	}

}
