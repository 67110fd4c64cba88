package io.holdfast.quorum;

import java.util.Map;

import io.holdfast.DistributedLock;
import io.holdfast.HoldfastRedis;
import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.actuate.LocksHealthIndicator;
import io.holdfast.autoconfigure.FailureAnalyses;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.autoconfigure.HoldfastHealthContributorAutoConfiguration;
import io.holdfast.engine.LockStore;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Locks on several independent masters in an application.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("any-jdk")
@Tag("slow")
class QuorumAutoConfigurationTests {

	@RegisterExtension
	static final RedisProcess first = new RedisProcess("--requirepass", "s:cret/1");

	@RegisterExtension
	static final RedisProcess second = new RedisProcess();

	@RegisterExtension
	static final RedisProcess third = new RedisProcess();

	private final String nodes = "redis://default:s%3Acret%2F1@127.0.0.1:" + first.port() + ",redis://127.0.0.1:"
			+ second.port() + ",redis://127.0.0.1:" + third.port() + "/1";

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class,
				HoldfastHealthContributorAutoConfiguration.class, QuorumAutoConfiguration.class))
		.withPropertyValues("holdfast.redis.node-timeout=9s", "holdfast.wait-for=30s");

	private ApplicationContextRunner withNodes(String urls) {
		return this.contextRunner.withPropertyValues("holdfast.redis.nodes=" + urls);
	}

	@ParameterizedTest
	@ValueSource(strings = { "none", "redis.clients.jedis" })
	void keepsLocksOnAllNodes(String hidden) {
		withNodes(this.nodes).withClassLoader(new FilteredClassLoader(hidden)).run((context) -> {
			assertThat(context).hasSingleBean(LockStore.class)
				.hasSingleBean(QuorumLockStore.class)
				.doesNotHaveBean(RedisConnectionFactory.class);
			LockTemplate template = context.getBean(LockTemplate.class);
			await().ignoreException(LockUnavailableException.class).untilAsserted(() -> {
				try (LockHandle handle = template.acquire("k");
						Jedis jedis = second.connect();
						Jedis other = third.connect()) {
					other.select(1);
					assertThat(handle.isHeld()).isTrue();
					assertThat(jedis.exists("holdfast:{k}")).isTrue();
					assertThat(other.exists("holdfast:{k}")).isTrue();
				}
			});
		});
	}

	@Test
	void permitsAreRefused() {
		withNodes(this.nodes).run((context) -> assertThatIllegalArgumentException()
			.isThrownBy(() -> context.getBean(LockTemplate.class).acquire(LockRequest.of("k").permits(2)))
			.withMessageContaining("Lock 'k' cannot have permits on independent masters")
			.withMessageContaining("without 'holdfast.redis.nodes'"));
		withNodes(this.nodes).withBean(Imports.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("permits")
				.hasMessageContaining("cannot be combined with independent masters"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "none", "redis.clients.jedis" })
	void releasesOnAllNodesBeforeConnectionsClose(String hidden) {
		withNodes(this.nodes).withClassLoader(new FilteredClassLoader(hidden))
			.withPropertyValues("holdfast.shutdown-grace=10ms")
			.run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				await().ignoreExceptions().until(() -> template.acquire("left").isHeld());
				context.close();
				try (Jedis jedis = second.connect(); Jedis other = third.connect()) {
					other.select(1);
					assertThat(jedis.exists("holdfast:{left}")).isFalse();
					assertThat(other.exists("holdfast:{left}")).isFalse();
				}
			});
	}

	@Test
	void healthTellsOfEachNode() {
		withNodes(this.nodes).run((context) -> {
			assertThat(context).hasNotFailed();
			LocksHealthIndicator indicator = context.getBean(LocksHealthIndicator.class);
			await()
				.untilAsserted(() -> assertThat(nodes(indicator.health()).values()).hasSize(3).allMatch("UP"::equals));
			assertThat(nodes(indicator.health()).keySet()).extracting(String::valueOf)
				.containsExactlyInAnyOrder("127.0.0.1:" + first.port(), "127.0.0.1:" + second.port(),
						"127.0.0.1:" + third.port());
			third.kill();
			try {
				await().untilAsserted(
						() -> assertThat(nodes(indicator.health()).get("127.0.0.1:" + third.port())).asString()
							.isNotEqualTo("UP"));
				assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
			}
			finally {
				third.start();
			}
		});
	}

	@Test
	void noNodesAtAllAreNotTakenForASingleRedis() {
		withNodes("").withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class)).run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("holdfast.redis.nodes", "There are none");
		});
	}

	@Test
	void isOffWhenLocksAre() {
		withNodes(this.nodes).withPropertyValues("holdfast.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(LockStore.class));
	}

	private static Map<?, ?> nodes(Health health) {
		return (Map<?, ?>) health.getDetails().get("nodes");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "majority | redis://:hush@a,redis://:hush@b | at least 3", "all | redis://:hush@a | at least 2",
					"majority | redis://:hush@a,redis://:hush@b,redis://:hush@a:6379/2 | of its own",
					"majority | redis://:hush@a,redis://:hush@b,http://:hush@c | rediss:// URL",
					"majority | redis://:hush@a,redis://:hush@b,redis:hush | rediss:// URL",
					"majority | redis://:hush@a,,redis://:hush@b,redis://:hush@c | number 2",
					"majority | redis://:hush@a,redis://:hush@b,redis://:hush@c, | number 4",
					"majority | redis://:hush@a,redis://:hush@b,redis:// | rediss:// URL",
					"majority | redis://:hush@a,redis://:hush@b,redis://:hu sh@c | rediss:// URL",
					"majority | redis://:hush@a,redis://:hush@b,redis://:hush@c/x | number of a database",
					"majority | redis://:hush@a,redis://:hush@b,redis://:hush@c/-1 | number of a database",
					"majority | redis://:hush@a,redis://:hush@b,redis://:hush@c?timeout=1s | options after '?'",
					"majority | redis://:hush@a,redis://:hush@b,redis://:hush@c:66666 | from 1 to 65535",
					"majority | redis://:hush@a,redis://:hush@b,redis://:hush@A:6379 | of its own" })
	void badNodesAreRefusedWithoutTellingPasswords(String quorum, String urls, String reason, CapturedOutput output) {
		withNodes(urls).withPropertyValues("holdfast.redis.quorum=" + quorum).run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("holdfast.redis.nodes", reason);
			assertThat(analysis.getDescription()).doesNotContain(":hush").doesNotContain("hu sh");
			assertThat(output.getAll()).doesNotContain(":hush@").doesNotContain("hu sh");
		});
	}

	@Test
	void oneRedisForLocksIsRefusedBesideNodes() {
		withNodes(this.nodes).withPropertyValues("holdfast.redis.connection-factory=redisOfLocks").run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("holdfast.redis.connection-factory", "redisOfLocks",
					"cannot be combined with 'holdfast.redis.nodes'");
		});
		withNodes(this.nodes).withBean("redisOfLocks", RedisOfLocks.class)
			.run((context) -> assertThat(FailureAnalyses.of(context.getStartupFailure()).getDescription())
				.contains("'holdfast.redis.nodes' is set, and a bean has it: redisOfLocks."));
	}

	@ParameterizedTest
	@ValueSource(strings = { "holdfast.lease=1500ms", "holdfast.redis.node-timeout=10s",
			"holdfast.redis.node-timeout=9223372036854775807s" })
	void nodeTimeoutMustFitIntoTheLease(String property) {
		withNodes(this.nodes).withPropertyValues("holdfast.redis.node-timeout=500ms", property).run((context) -> {
			assertThat(context.getStartupFailure()).hasStackTraceContaining("holdfast.redis.node-timeout")
				.hasStackTraceContaining("third");
		});
	}

	@HoldfastRedis
	static class RedisOfLocks {

	}

	static class Imports {

		@DistributedLock(key = "'k'", permits = 2)
		void run() {
		}

	}

}
