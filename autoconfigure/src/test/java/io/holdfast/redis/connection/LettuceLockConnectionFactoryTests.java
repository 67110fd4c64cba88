package io.holdfast.redis.connection;

import io.holdfast.test.Connections;
import io.holdfast.test.RedisReplication;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Where connections for locks go that are like an application's.
 */
@Tag("any-jdk")
class LettuceLockConnectionFactoryTests {

	@RegisterExtension
	static final RedisReplication redis = new RedisReplication(1);

	@Test
	void toTheApplicationsServerHoweverItWasNamed() {
		RedisConfiguration server = new RedisStandaloneConfiguration("127.0.0.1", redis.master().port());
		writesTo(new LettuceConnectionFactory(server), "named");
	}

	@Test
	void toAMasterThatIsNamedWithItsReplicas() {
		RedisStaticMasterReplicaConfiguration servers = new RedisStaticMasterReplicaConfiguration("127.0.0.1",
				redis.master().port());
		servers.addNode("127.0.0.1", redis.replica(0).port());
		writesTo(new LettuceConnectionFactory(servers), "replicated");
	}

	private static void writesTo(LettuceConnectionFactory application, String key) {
		application.afterPropertiesSet();
		LettuceLockConnectionFactory own = LettuceLockConnectionFactory.like(application);
		try (Jedis jedis = redis.master().connect()) {
			write(own, key);
			assertThat(jedis.exists(key)).isTrue();
		}
		finally {
			own.destroy();
			application.destroy();
		}
	}

	private static void write(LettuceConnectionFactory factory, String key) {
		try (RedisConnection connection = factory.getConnection()) {
			connection.stringCommands().set(key.getBytes(UTF_8), key.getBytes(UTF_8));
		}
	}

	@Test
	void nowhereForAnApplicationsOwnClass() {
		assertThat(LettuceLockConnectionFactory.like(new LettuceConnectionFactory() {
		})).isNull();
	}

	@Test
	void areThereForAsLongAsTheApplicationsAre() {
		LettuceConnectionFactory application = new LettuceConnectionFactory("127.0.0.1", redis.master().port());
		LettuceLockConnectionFactory own = LettuceLockConnectionFactory.like(application);
		assertThatIllegalStateException().isThrownBy(own::getConnection);
		application.start();
		write(own, "started");
		own.stop();
		write(own, "again");
		application.stop();
		own.stop();
		assertThatIllegalStateException().isThrownBy(own::getConnection);
		application.start();
		write(own, "restarted");
		own.destroy();
		application.destroy();
	}

	/**
	 * What the application does over its own connection is not in the way, and the other
	 * way round.
	 */
	@Test
	void areOthersThanTheApplications() {
		LettuceConnectionFactory application = Connections.lettuce(redis.master().port());
		LettuceLockConnectionFactory own = LettuceLockConnectionFactory.like(application);
		try (Jedis jedis = redis.master().connect()) {
			write(application, "application");
			long before = jedis.clientList().lines().count();
			write(own, "locks");
			assertThat(jedis.clientList().lines()).hasSize((int) before + 1);
			own.destroy();
			await().untilAsserted(() -> assertThat(jedis.clientList().lines()).hasSize((int) before));
			write(application, "after");
		}
		finally {
			application.destroy();
		}
	}

}
