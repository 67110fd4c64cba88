package io.holdfast.quorum;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * URLs of independent masters.
 */
class RedisNodeTests {

	private static RedisNode parse(String url) {
		return RedisNode.parseAll(List.of(url)).get(0);
	}

	@ParameterizedTest
	@CsvSource({ "redis://one, one:6379, 0, false", "rediss://one:7000/3, one:7000, 3, true",
			"redis://one:/, one:6379, 0, false", "redis://LocalHost, localhost:6379, 0, false",
			"redis://redis_one:7000/3, redis_one:7000, 3, false",
			"redis://user:secret@redis_one, redis_one:6379, 0, false", "redis://[::1]:7000, [::1]:7000, 0, false",
			"redis://10.0.0.1:7000, 10.0.0.1:7000, 0, false" })
	void readsAddresses(String url, String server, int database, boolean ssl) {
		RedisNode node = parse(url);
		assertThat(node.server()).isEqualTo(server);
		assertThat(node.isSsl()).isEqualTo(ssl);
		assertThat(node.configuration().getDatabase()).isEqualTo(database);
	}

	@ParameterizedTest
	@CsvSource({ "redis://me:s%3Acret%2F1@one, me, s:cret/1", "redis://:secret@redis_one, , secret",
			"redis://me:p%40ss@one, me, p@ss", "redis://secret@one, , secret" })
	void readsLogins(String url, String user, String password) {
		RedisStandaloneConfiguration configuration = parse(url).configuration();
		assertThat(configuration.getUsername()).isEqualTo(user);
		assertThat(configuration.getPassword()).isEqualTo(RedisPassword.of(password));
	}

	@Test
	void doesNotTellThePassword() {
		assertThat(parse("redis://me:secret@one/1")).hasToString("one:6379");
	}

}
