package io.holdfast.redis;

import java.util.Map;

import io.holdfast.test.Client;
import io.holdfast.test.Connections;
import io.holdfast.test.RecordedLog;
import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A Redis whose memory is full, what it removes then, and that instances say that it may.
 */
@Tag("any-jdk")
class EvictionTests {

	private static final String POLICY = "maxmemory-policy";

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private final Jedis jedis = redis.connect();

	private final RecordedLog log = new RecordedLog();

	@AfterEach
	void allowAllMemory() {
		this.log.close();
		this.jedis.configSet("maxmemory", "0");
		this.jedis.configSet(POLICY, "noeviction");
		this.jedis.flushAll();
		this.jedis.close();
	}

	/**
	 * An instance asks after its first message to itself, and before the second.
	 */
	private static void awaitAnswer(Jedis server) {
		await().until(() -> CommandCounts.of(server).of("publish") >= 2);
	}

	@ParameterizedTest
	@EnumSource
	void warningNamesThePolicy(Client client) {
		this.jedis.configSet(POLICY, "allkeys-lru");
		RedisStores.use(client.connectPatiently(redis.port()), (instance) -> {
			instance.template().acquire("k").release();
			await().until(() -> !this.log.lines("may evict").isEmpty());
			assertThat(this.log.lines("may evict")).singleElement().satisfies((line) -> {
				assertThat(line.level()).isEqualTo("WARN");
				assertThat(line.values()).containsExactly(Map.entry("policy", "allkeys-lru"));
			});
		});
	}

	@Test
	void warningIsThereForAMasterOfACluster() {
		try (RedisCluster cluster = new RedisCluster("--" + POLICY, "volatile-ttl")) {
			cluster.start();
			RedisStores.use(Client.JEDIS.connectPatiently(cluster), (instance) -> {
				instance.template().acquire("k").release();
				await().until(() -> !this.log.lines("may evict", "volatile-ttl").isEmpty());
			});
		}
	}

	@ParameterizedTest
	@CsvSource({ "noeviction, +info", "allkeys-lru, -info" })
	void warningIsNotThereWithoutEvictionOrForAUserWhoMayNotAsk(String policy, String permission) {
		try (RedisProcess server = new RedisProcess("--" + POLICY, policy)) {
			server.start();
			try (Jedis operator = server.connect()) {
				operator.aclSetUser("operator", "on", "nopass", "allcommands", "allkeys", "allchannels");
				operator.auth("operator", "any");
				operator.aclSetUser("default", permission);
				RedisStores.use(Connections.patientJedis(server.port()), (instance) -> {
					instance.template().acquire("k").release();
					awaitAnswer(operator);
				});
			}
		}
		assertThat(this.log.lines("evict")).isEmpty();
	}

}
