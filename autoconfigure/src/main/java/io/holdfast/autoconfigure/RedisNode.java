package io.holdfast.autoconfigure;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * Where one of several independent masters is, and how to log in.
 */
final class RedisNode {

	private static final int DEFAULT_PORT = 6379;

	private final URI url;

	private final int database;

	private RedisNode(URI url, int database) {
		this.url = url;
		this.database = database;
	}

	/**
	 * Read URLs like {@code rediss://user:password@host:port/database}.
	 * @throws InvalidRedisNodesException when one is not like that
	 */
	static List<RedisNode> parseAll(List<String> urls) {
		List<RedisNode> nodes = new ArrayList<>();
		for (String url : urls) {
			RedisNode node = parse(url);
			if (node == null) {
				throw new InvalidRedisNodesException(List.of("number " + (nodes.size() + 1)),
						"Each must be a redis:// or rediss:// URL with a host.");
			}
			nodes.add(node);
		}
		return nodes;
	}

	private static @Nullable RedisNode parse(String text) {
		try {
			URI url = new URI(text);
			boolean valid = ("redis".equals(url.getScheme()) || "rediss".equals(url.getScheme()))
					&& url.getHost() != null;
			return valid ? new RedisNode(url, database(url)) : null;
		}
		catch (URISyntaxException | NumberFormatException ex) {
			return null;
		}
	}

	private static int database(URI url) {
		String path = url.getPath();
		return (path == null || path.length() <= 1) ? 0 : Integer.parseUnsignedInt(path.substring(1));
	}

	/**
	 * Return the server's address, which names it.
	 */
	String server() {
		return this.url.getHost() + ":" + port();
	}

	boolean isSsl() {
		return "rediss".equals(this.url.getScheme());
	}

	private int port() {
		return (this.url.getPort() >= 0) ? this.url.getPort() : DEFAULT_PORT;
	}

	RedisStandaloneConfiguration configuration() {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(this.url.getHost(), port());
		configuration.setDatabase(this.database);
		String login = this.url.getUserInfo();
		if (login != null) {
			int colon = login.indexOf(':');
			configuration.setUsername((colon > 0) ? login.substring(0, colon) : null);
			configuration.setPassword(RedisPassword.of(login.substring(colon + 1)));
		}
		return configuration;
	}

}
