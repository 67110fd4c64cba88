package io.holdfast.autoconfigure;

import java.util.List;

import io.holdfast.DistributedLock;
import io.holdfast.test.RecordedLog;
import io.holdfast.test.RedisProcess;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * What is logged at startup of a Redis: where it is, and that a client waits too long for
 * its answers.
 */
@Tag("any-jdk")
@Tag("slow")
class CommandTimeoutTests {

	private static final String WARNING = "'spring.data.redis.timeout' (%s ms, 0 is no limit) should be at most a third of "
			+ "'holdfast.lease' (%s ms)";

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private final RecordedLog log = new RecordedLog();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, HoldfastAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.port=" + redis.port());

	@AfterEach
	void stopRecording() {
		this.log.close();
	}

	@ParameterizedTest
	@CsvSource({ "jedis, 10001ms, 30s, 10001, 30000", "jedis, 2s, 5s, 2000, 5000", "jedis, 0, 30s, 0, 30000",
			"lettuce, 1500ms, 4s, 1500, 4000", "lettuce, '', '', 60000, 30000", "jedis, 10s, 30s, , ",
			"lettuce, 10s, 30s, , ", "jedis, 1s, 3s, , ", "jedis, '', '', , " })
	void warningNamesATimeoutThatLeavesRenewalsNoTime(String client, String timeout, String lease,
			@Nullable String namedTimeout, @Nullable String namedLease) {
		this.contextRunner
			.withPropertyValues("spring.data.redis.client-type=" + client, "spring.data.redis.timeout=" + timeout,
					"holdfast.lease=" + lease)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(this.log.lines("spring.data.redis.timeout")).hasSize((namedTimeout != null) ? 1 : 0);
		assertThat(this.log.lines(WARNING.formatted(namedTimeout, namedLease))).hasSize((namedTimeout != null) ? 1 : 0);
	}

	@Test
	void namesEachMethodWhoseLeaseIsTooShort() {
		this.contextRunner.withBean(Briefly.class)
			.withPropertyValues("spring.data.redis.client-type=jedis", "spring.data.redis.timeout=2s")
			.run((context) -> context.getBean(Briefly.class).briefly());
		assertThat(this.log.lines("spring.data.redis.timeout")).singleElement()
			.satisfies((line) -> assertThat(line.text())
				.contains("(2000 ms, 0 is no limit) should be at most a third of the lease of "
						+ Briefly.class.getName() + ".briefly (3000 ms)"));
	}

	static class Briefly {

		@DistributedLock(name = "briefly", lease = "3s")
		public void briefly() {
		}

		@DistributedLock(name = "enough", lease = "6s")
		public void longEnough() {
		}

		@DistributedLock(name = "limited", lease = "3s", autoRenew = false)
		public void notRenewed() {
		}

	}

	@Test
	void isNotThereWhenTheTimeoutIsNotKnown() {
		this.contextRunner.withBean(RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class))
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(this.log.lines("spring.data.redis.timeout")).isEmpty();
	}

	/**
	 * Jedis connects to Sentinel and Cluster at once, and fails.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					spring.data.redis.host=127.0.0.1 | 127.0.0.1:PORT
					spring.data.redis.sentinel.master=m, spring.data.redis.sentinel.nodes=127.0.0.1:1 | 'm' of Sentinel [127.0.0.1:1]
					spring.data.redis.cluster.nodes=127.0.0.1:1 | Cluster [127.0.0.1:1]
					""")
	void startupTellsWhereLocksAre(String properties, String address) {
		for (String client : List.of("jedis", "lettuce")) {
			this.contextRunner
				.withPropertyValues("spring.data.redis.client-type=" + client, "spring.data.redis.username=me",
						"spring.data.redis.password=secret", "holdfast.lease=20s")
				.withPropertyValues(properties.split(", "))
				.run((context) -> {
				});
		}
		assertThat(this.log.lines("Locks are kept in Redis at %s (lease 20000 ms)"
			.formatted(address.replace("PORT", Integer.toString(redis.port()))))).isNotEmpty()
			.allSatisfy((line) -> assertThat(line.text()).doesNotContain("secret"));
	}

}
