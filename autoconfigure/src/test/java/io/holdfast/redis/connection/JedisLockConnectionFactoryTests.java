package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.List;

import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;

import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of connections after errors and failures.
 */
class JedisLockConnectionFactoryTests {

	private static final byte[] KEY = "key".getBytes(UTF_8);

	private static final int MAX_ACTIVE = 8;

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private final JedisConnectionFactory application = Connections.jedis(redis.port());

	private final JedisLockConnectionFactory connections = JedisLockConnectionFactory.like(this.application,
			MAX_ACTIVE);

	@AfterEach
	void close() {
		this.connections.destroy();
		this.application.destroy();
	}

	private Object run() {
		return this.connections.open()
			.ask(KEY, true, (connection) -> connection.eval("return 1".getBytes(UTF_8), ReturnType.INTEGER,
					List.of(KEY), List.of()));
	}

	/**
	 * Return the connections to the server, but for that of who asks.
	 */
	private static List<String> clients() {
		try (Jedis jedis = redis.connect()) {
			return jedis.clientList()
				.lines()
				.filter((client) -> !client.contains("cmd=client"))
				.map((client) -> client.substring(0, client.indexOf(' ')))
				.toList();
		}
	}

	@Test
	void oneIsThrownAwayAfterAnErrorOfWhoUsedIt() {
		run();
		List<String> before = clients();
		OutOfMemoryError error = new OutOfMemoryError("for a test");
		assertThatThrownBy(() -> this.connections.open().ask(KEY, true, (connection) -> {
			throw error;
		})).isSameAs(error);
		await().until(() -> clients().stream().noneMatch(before::contains));
		assertThat(run()).isEqualTo(1L);
	}

	@Test
	void noReplyIsLeftForTheNextRequest() {
		OutOfMemoryError error = new OutOfMemoryError("for a test");
		assertThatThrownBy(() -> this.connections.open().ask(KEY, true, (connection) -> {
			((JedisServer.Lent) connection).connection().sendCommand(Protocol.Command.EVAL, "return 2", "0");
			throw error;
		})).isSameAs(error);
		assertThat(run()).isEqualTo(1L);
	}

	@Test
	void oneIsKeptAfterAnAnswerThatIsAFailure() {
		run();
		List<String> before = clients();
		assertThatException()
			.isThrownBy(() -> this.connections.open()
				.ask(KEY, true,
						(connection) -> connection.evalSha("0".repeat(40), ReturnType.INTEGER, List.of(KEY),
								List.of())))
			.withMessageContaining("NOSCRIPT");
		assertThat(run()).isEqualTo(1L);
		assertThat(clients()).isEqualTo(before);
	}

	@Test
	void errorsDoNotAddUp() {
		for (int i = 0; i < 300; i++) {
			run();
			assertThatThrownBy(() -> this.connections.open().ask(KEY, true, (connection) -> {
				throw new OutOfMemoryError("for a test");
			})).isInstanceOf(OutOfMemoryError.class);
			assertThat(clients()).hasSizeLessThanOrEqualTo(MAX_ACTIVE);
		}
	}

	@Test
	void noneIsMadeAfterTheEnd() {
		run();
		this.connections.stop();
		assertThat(run()).isEqualTo(1L);
		this.application.stop();
		this.connections.stop();
		assertThatIllegalStateException().isThrownBy(this::run).withMessageContaining("closed");
		this.application.start();
		assertThat(run()).isEqualTo(1L);
		this.connections.destroy();
		assertThatIllegalStateException().isThrownBy(this::run).withMessageContaining("closed");
	}

	@Test
	void waitForOneIsNotLongerThanForAnAnswer() {
		assertThat(this.connections.longestWait()).isEqualTo(Duration.ofSeconds(1));
		assertThat(this.connections.mostForOthers()).isEqualTo(MAX_ACTIVE - 3);
	}

}
