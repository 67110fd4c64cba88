package io.holdfast.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Connections that are replaced after an error.
 */
class JedisLockConnectionsTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private final List<JedisConnectionFactory> made = new CopyOnWriteArrayList<>();

	private final AtomicBoolean outOfMemory = new AtomicBoolean();

	private JedisConnectionFactory make() {
		if (this.outOfMemory.get()) {
			throw new OutOfMemoryError("for a test");
		}
		JedisConnectionFactory factory = new JedisConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", redis.port()));
		this.made.add(factory);
		return factory;
	}

	@Test
	void areReplacedByTheFirstForWhomThatSucceeds() {
		JedisLockConnections connections = new JedisLockConnections(this::make, Duration.ofSeconds(1), () -> true);
		connections.getConnection().close();
		connections.replaceAll();
		this.outOfMemory.set(true);
		assertThatThrownBy(connections::getConnection).isInstanceOf(OutOfMemoryError.class);
		assertThatThrownBy(connections::getConnection).isInstanceOf(OutOfMemoryError.class);
		this.outOfMemory.set(false);
		connections.getConnection().close();
		assertThat(this.made).hasSize(2).last().matches(JedisConnectionFactory::isRunning);
		connections.destroy();
	}

	@Test
	void areClosedOnceNobodyCanWaitForThem() {
		JedisLockConnections connections = new JedisLockConnections(this::make, Duration.ofMillis(10), () -> true);
		connections.getConnection().close();
		connections.replaceAll();
		connections.getConnection().close();
		assertThat(this.made).hasSize(2).allMatch(JedisConnectionFactory::isRunning);
		await().until(() -> {
			connections.getConnection().close();
			return !this.made.get(0).isRunning();
		});
		assertThat(this.made.get(1).isRunning()).isTrue();
		connections.destroy();
		assertThat(this.made).noneMatch(JedisConnectionFactory::isRunning);
	}

	@Test
	void areClosedWithTheOthers() {
		JedisLockConnections connections = new JedisLockConnections(this::make, Duration.ofMinutes(1), () -> true);
		connections.getConnection().close();
		connections.replaceAll();
		connections.getConnection().close();
		connections.stop();
		assertThat(this.made).hasSize(2).noneMatch(JedisConnectionFactory::isRunning);
		connections.destroy();
	}

}
