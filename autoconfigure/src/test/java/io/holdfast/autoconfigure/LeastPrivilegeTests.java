package io.holdfast.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.LockOperations;
import io.holdfast.engine.LockStore;
import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.RedisReplication;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Whether the user of Redis that is documented may do what locks need, and no more.
 */
@Tag("any-jdk")
@Tag("slow")
class LeastPrivilegeTests {

	private static final Path DOCUMENT = Path.of("../docs/operations.md");

	private static final Path SCRIPTS = Path.of("src/main/resources/io/holdfast/redis");

	private static final Path SCRIPTS_OF_QUORUM = Path.of("../quorum/src/main/resources/io/holdfast/quorum");

	private static final Pattern CALL = Pattern.compile("redis\\.p?call\\('(\\w+)'");

	private static final Set<String> OF_OPERATORS = Set.of("forcerelease.lua", "policy.lua", "scan.lua", "state.lua");

	/**
	 * What is asked without a script.
	 */
	private static final Set<String> PLAIN = Set.of("eval", "evalsha", "subscribe", "unsubscribe");

	@Test
	void userMayCallWhatScriptsCallAndNothingElse() {
		Set<String> needed = new TreeSet<>(PLAIN);
		scripts().flatMap((script) -> matches(CALL, script))
			.forEach((command) -> needed.add(command.toLowerCase(Locale.ROOT)));
		assertThat(documented("")).contains("resetkeys", "~holdfast:*", "resetchannels", "&holdfast:*", "-@all");
		assertThat(documented("").stream().filter((rule) -> rule.startsWith("+")).map((rule) -> rule.substring(1)))
			.containsExactlyInAnyOrderElementsOf(needed);
	}

	/**
	 * What only operators' scripts call is left out: locks work without it.
	 */
	@Test
	void healthTriesWhatScriptsOfLocksCall() {
		Set<String> ofLocks = new TreeSet<>();
		scripts().filter((script) -> !OF_OPERATORS.contains(script.getFileName().toString()))
			.filter((script) -> !script.endsWith("check.lua"))
			.flatMap((script) -> matches(CALL, script))
			.forEach(ofLocks::add);
		assertThat(matches(CALL, SCRIPTS.resolve("check.lua")).collect(Collectors.toSet()))
			.containsExactlyInAnyOrderElementsOf(ofLocks);
	}

	private static Stream<Path> scripts() {
		return Stream.of(SCRIPTS, SCRIPTS_OF_QUORUM).flatMap((folder) -> {
			try (Stream<Path> scripts = Files.list(folder)) {
				return scripts.toList().stream();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void locksNeedNothingElse(String client) {
		try (RedisProcess redis = new RedisProcess()) {
			redis.start();
			addUser(redis, "");
			runner(client).withPropertyValues("spring.data.redis.port=" + redis.port()).run(this::useLocks);
			assertThat(denied(redis)).isEmpty();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void locksOnClusterNeedToKnowItsNodes(String client) {
		try (RedisCluster cluster = new RedisCluster()) {
			cluster.start();
			cluster.nodes().forEach((node) -> addUser(node, "cluster"));
			String nodes = cluster.nodes()
				.stream()
				.map((node) -> "127.0.0.1:" + node.port())
				.collect(Collectors.joining(","));
			runner(client).withPropertyValues("spring.data.redis.cluster.nodes=" + nodes).run(this::useLocks);
			assertThat(cluster.nodes()).allSatisfy((node) -> assertThat(denied(node)).isEmpty());
		}
	}

	@Test
	void locksThatReplicasConfirmNeedToWaitForThem() {
		try (RedisReplication servers = new RedisReplication(1)) {
			servers.start();
			addUser(servers.master(), "wait");
			runner("jedis")
				.withPropertyValues("spring.data.redis.port=" + servers.master().port(), "spring.data.redis.timeout=6s",
						"holdfast.redis.replica-acks=1", "holdfast.redis.replica-ack-timeout=5s", "holdfast.lease=20s")
				.run(this::useLocks);
			assertThat(denied(servers.master())).isEmpty();
		}
	}

	private static ApplicationContextRunner runner(String client) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, HoldfastAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.client-type=" + client, "spring.data.redis.username=holdfast",
					"spring.data.redis.password=secret", "spring.data.redis.timeout=5s", "holdfast.lease=6s",
					"holdfast.wait-for=30s");
	}

	private void useLocks(ApplicationContext context) {
		assertThat(context.getBean(LockStore.class).check().failure()).isNull();
		LockTemplate template = context.getBean(LockTemplate.class);
		template.acquire(LockRequest.of("kept").minHold(Duration.ofMillis(200))).close();
		try (LockHandle outer = template.acquire("k"); LockHandle inner = template.acquire("k")) {
			assertThat(inner.extend(Duration.ofMinutes(1))).isTrue();
			assertThat(inner.release()).isEqualTo(ReleaseResult.STILL_HELD);
			wait(context, template);
			outer.release();
		}
		template.acquire(LockRequest.of("k", "other")).close();
		template.acquire(LockRequest.of("k").shared()).close();
		operateLocks(context.getBean(HoldfastLockRegistry.class).operations(), template);
	}

	private static void operateLocks(LockOperations operator, LockTemplate template) {
		for (LockRequest request : List.of(LockRequest.of("k"), LockRequest.of("other").shared())) {
			template.acquire(request);
			assertThat(operator.view().heldKeys(1_000, Duration.ofSeconds(10)).keys())
				.contains(request.lockKeys().get(0));
			assertThat(operator.view().look(request.lockKeys())).singleElement()
				.satisfies((state) -> assertThat(state.problem()).isNull());
			assertThat(operator.forceRelease(request.lockKeys().get(0), null, Duration.ofSeconds(20)).isReleased())
				.isTrue();
		}
	}

	/**
	 * Wait for a lock until the subscription is there.
	 */
	private static void wait(ApplicationContext context, LockTemplate template) {
		CompletableFuture<ReleaseResult> waiter = Threads
			.start(() -> template.acquire(LockRequest.of("k").fair().waitFor(Duration.ofSeconds(20))).release());
		await().until(() -> context.getBean(LockStore.class).subscription() == LockStore.Subscription.ACTIVE);
		waiter.cancel(true);
	}

	private static void addUser(RedisProcess redis, String addition) {
		try (Jedis jedis = redis.connect()) {
			String[] rules = Stream
				.concat(Stream.of("SETUSER", "holdfast", "on", ">secret"),
						Stream.concat(documented("").stream(), documented(addition).stream()))
				.toArray(String[]::new);
			jedis.sendCommand(Protocol.Command.ACL, rules);
			documented("client").forEach((rule) -> allowIfKnown(jedis, rule));
		}
	}

	/**
	 * Allow a command, unless Redis does not know it: then it notes no refusal either.
	 */
	private static void allowIfKnown(Jedis jedis, String rule) {
		try {
			jedis.aclSetUser("holdfast", rule);
		}
		catch (JedisDataException ex) {
			assertThat(ex).hasMessageContaining(rule);
		}
	}

	private static List<String> denied(RedisProcess redis) {
		try (Jedis jedis = redis.connect()) {
			return jedis.aclLog().stream().map((entry) -> entry.getReason() + " " + entry.getObject()).toList();
		}
	}

	/**
	 * Return the rules that the document has, or those that it adds for a case.
	 */
	private static List<String> documented(String addition) {
		Pattern line = Pattern.compile(addition.isEmpty() ? "(?m)^ACL SETUSER holdfast on >\\S+ (.*)$"
				: "(?m)^ACL SETUSER holdfast (\\+" + addition + "\\b.*)$");
		return matches(line, DOCUMENT).flatMap((rules) -> Arrays.stream(rules.split(" "))).toList();
	}

	private static Stream<String> matches(Pattern pattern, Path file) {
		try {
			return pattern.matcher(Files.readString(file)).results().map((MatchResult match) -> match.group(1));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
