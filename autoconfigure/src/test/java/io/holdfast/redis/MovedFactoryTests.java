package io.holdfast.redis;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Client;
import io.holdfast.test.RecordingWakeUps;
import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.RedisSentinels;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An application that points its connection factory elsewhere, without a restart.
 */
@Tag("any-jdk")
@Tag("slow")
class MovedFactoryTests {

	private static final Duration LONG = Duration.ofSeconds(20);

	@ParameterizedTest
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	void locksFollowToAnotherServer(Client client) {
		try (RedisProcess old = new RedisProcess(); RedisProcess fresh = new RedisProcess()) {
			old.start();
			fresh.start();
			RedisConnectionFactory application = client.connect(old.port());
			assertThatLocksFollow(application, () -> standalone(application).setPort(fresh.port()), () -> fresh,
					List.of(fresh), 0);
		}
	}

	/**
	 * The old password still opens connections.
	 */
	@ParameterizedTest
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	void locksFollowToAnotherDatabaseAndUser(Client client) {
		try (RedisProcess server = new RedisProcess()) {
			server.start();
			server.with((operator) -> operator.aclSetUser("app", "on", ">secret", "~*", "&*", "+@all"));
			RedisConnectionFactory application = client.connect(server.port());
			assertThatLocksFollow(application, () -> {
				standalone(application).setDatabase(1);
				standalone(application).setUsername("app");
				standalone(application).setPassword("secret");
			}, () -> server, List.of(server), 1);
			server.with((operator) -> assertThat(operator.aclLog()).isEmpty());
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	@Tag("long")
	void locksFollowToTheMasterOfOtherSentinels(Client client) {
		try (RedisSentinels old = RedisSentinels.patient(); RedisSentinels fresh = RedisSentinels.patient()) {
			old.start();
			fresh.start();
			RedisConnectionFactory application = client.connect(old);
			assertThatLocksFollow(application,
					() -> sentinel(application).setSentinels(
							fresh.sentinelPorts().stream().map((port) -> new RedisNode("127.0.0.1", port)).toList()),
					fresh::currentMasterProcess, List.of(fresh.servers().master()), 0);
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	@Tag("long")
	void locksFollowToAnotherCluster(Client client) {
		try (RedisCluster old = new RedisCluster(); RedisCluster fresh = new RedisCluster()) {
			old.start();
			fresh.start();
			RedisConnectionFactory application = client.connect(old);
			assertThatLocksFollow(application,
					() -> cluster(application).setClusterNodes(
							fresh.nodes().stream().map((node) -> new RedisNode("127.0.0.1", node.port())).toList()),
					() -> fresh.nodeOf("holdfast:{k}"), fresh.nodes(), 0);
		}
	}

	private static void assertThatLocksFollow(RedisConnectionFactory application, Runnable move,
			Supplier<RedisProcess> target, List<RedisProcess> hearing, int database) {
		RedisStores.use(application, (instance) -> {
			instance.template().acquire(LockRequest.of("held").lease(LONG.dividedBy(4)).ownedByHandle());
			instance.store().listen(instance.id(), new RecordingWakeUps());
			((SmartLifecycle) application).stop();
			move.run();
			((SmartLifecycle) application).start();
			await().until(() -> isOn(target.get(), database, instance));
			await().until(() -> !instance.events().lost().isEmpty());
			await().atMost(LONG.multipliedBy(2))
				.until(() -> hearing.stream().anyMatch((server) -> isSubscribed(server, instance)));
		});
	}

	private static boolean isOn(RedisProcess server, int database, TestInstance instance) {
		try (Jedis jedis = server.connect();
				LockHandle lock = instance.template().acquire(LockRequest.of("k").waitFor(LONG))) {
			jedis.select(database);
			return String.valueOf(lock.fencingToken()).equals(jedis.hget("holdfast:{k}", "token"));
		}
	}

	private static boolean isSubscribed(RedisProcess server, TestInstance instance) {
		return server.ask((jedis) -> jedis.pubsubChannels("*" + instance.id()).size() == 1);
	}

	private static RedisStandaloneConfiguration standalone(RedisConnectionFactory application) {
		return (application instanceof JedisConnectionFactory jedis) ? jedis.getStandaloneConfiguration()
				: ((LettuceConnectionFactory) application).getStandaloneConfiguration();
	}

	private static RedisSentinelConfiguration sentinel(RedisConnectionFactory application) {
		return (application instanceof JedisConnectionFactory jedis) ? jedis.getSentinelConfiguration()
				: ((LettuceConnectionFactory) application).getSentinelConfiguration();
	}

	private static RedisClusterConfiguration cluster(RedisConnectionFactory application) {
		return (application instanceof JedisConnectionFactory jedis) ? jedis.getClusterConfiguration()
				: ((LettuceConnectionFactory) application).getClusterConfiguration();
	}

}
