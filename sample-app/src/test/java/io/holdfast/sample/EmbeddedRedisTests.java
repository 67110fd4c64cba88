package io.holdfast.sample;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link EmbeddedRedis}.
 */
class EmbeddedRedisTests {

	private final int port = FreePort.find();

	private final List<EmbeddedRedis> instances = new CopyOnWriteArrayList<>();

	@AfterEach
	void stopAll() throws IOException {
		for (EmbeddedRedis instance : this.instances) {
			instance.stop();
		}
	}

	@Test
	void startsARedisWhenThereIsNoneAndTakesItAlong() throws IOException {
		EmbeddedRedis redis = findOrStart();
		assertThat(redis).hasToString("Redis listens on localhost:%d (started by this application)", this.port);
		try (Jedis jedis = new Jedis("localhost", this.port)) {
			assertThat(jedis.configGet("save").get("save")).isEmpty();
			assertThat(jedis.configGet("bind").get("bind")).isEqualTo("127.0.0.1");
		}
		redis.stop();
		assertThat(isThere()).isFalse();
	}

	@Test
	void namesThePropertyToChangeWhenThePortIsTaken() throws IOException {
		try (ServerSocket somethingElse = new ServerSocket(this.port, 1, InetAddress.getLoopbackAddress())) {
			assertThat(somethingElse.isBound()).isTrue();
			assertThatIllegalStateException().isThrownBy(this::findOrStart)
				.withMessageContainingAll("port " + this.port, "Failed listening on port", "sample.redis-port",
						"spring.data.redis.host");
		}
	}

	private EmbeddedRedis findOrStart() {
		EmbeddedRedis instance = EmbeddedRedis.findOrStart(this.port);
		this.instances.add(instance);
		return instance;
	}

	private boolean isThere() {
		return EmbeddedRedis.answers(this.port);
	}

}
