package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.TestInstance;
import io.holdfast.redis.ConnectionSource;
import io.holdfast.redis.JedisLockConnections;
import io.holdfast.redis.LockConnections;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.redis.ReplicaAcks;
import io.holdfast.redis.inspect.RedisView;
import io.holdfast.test.Connections;
import io.holdfast.test.RecordedLog;
import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.util.JedisClusterCRC16;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Connections on which a reply to another question is still to come: Jedis gives them
 * back to its pool when an error hits the thread that was to read it.
 */
@Tag("any-jdk")
class MisplacedReplyTests {

	private static final String KEY = "key";

	private static final String LOCK = "holdfast:{key}";

	private static final LockRequest REQUEST = LockRequest.of(KEY).waitFor(Duration.ofSeconds(30));

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	@RegisterExtension
	static final RedisCluster cluster = new RedisCluster();

	private final RecordedLog log = new RecordedLog();

	@BeforeEach
	void forgetLock() {
		try (Jedis jedis = redis.connect()) {
			jedis.del(LOCK);
		}
	}

	@AfterEach
	void closeLog() {
		this.log.close();
	}

	/**
	 * It may be something in the background that gets such a reply: the slots of a
	 * Cluster are asked for there.
	 */
	@ParameterizedTest
	@EnumSource
	void replyToAnotherQuestionGrantsNothing(Kind kind) {
		kind.run((source, instance) -> {
			LockHandle held = instance.template().acquire(LockRequest.of("another"));
			await().until(() -> {
				misalign(source.factory());
				LockHandle handle = instance.template().acquire(REQUEST);
				assertThat(kind.token()).isEqualTo(Long.toString(handle.fencingToken()));
				assertThat(handle.release()).isNotEqualTo(ReleaseResult.LOST);
				return replaced() > 0;
			});
			await().until(() -> kind.token() == null);
			assertThat(held.release()).isNotEqualTo(ReleaseResult.LOST);
		});
	}

	@ParameterizedTest
	@EnumSource
	void replyToAnotherQuestionReleasesNothing(Kind kind) {
		kind.run((source, instance) -> {
			LockHandle handle = instance.template().acquire(REQUEST);
			misalign(source.factory());
			assertThat(handle.release()).isEqualTo(ReleaseResult.PENDING);
			await().until(() -> kind.token() == null);
			assertThat(replaced()).isEqualTo(1);
		});
	}

	/**
	 * Spring Data expects a list, and fails on anything else.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "return 5", "return 'text'", "return false" })
	void replyOfAnotherKindGrantsNothing(String script) {
		Kind.UNIFIED.run((source, instance) -> {
			misalign(source.factory(), script);
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> instance.template().acquire(REQUEST.waitFor(Duration.ZERO)))
				.withMessageContaining("to another question");
			assertThat(replaced()).isEqualTo(1);
		});
	}

	/**
	 * Nobody who waits for a connection is interrupted because it is closed.
	 */
	@Test
	void whoWaitsForAConnectionMeanwhileIsNotDisturbed() {
		Kind.UNIFIED.run((source, instance) -> {
			RedisConnectionFactory connections = source.factory();
			List<CompletableFuture<Boolean>> users = IntStream.range(0, 50).mapToObj((user) -> Threads.start(() -> {
				LockRequest own = LockRequest.of("user-" + user).waitFor(Duration.ofSeconds(30));
				for (int i = 0; i < 100; i++) {
					instance.template().acquire(own).release();
				}
				return Thread.interrupted();
			})).toList();
			await().pollInterval(Duration.ofMillis(20)).until(() -> {
				((LockConnections) connections).replaceAll();
				return users.stream().allMatch(CompletableFuture::isDone);
			});
			assertThat(users).allSatisfy((user) -> assertThat(Threads.join(user)).isFalse());
		});
	}

	@Test
	void renewalIsRepeatedOverAnotherConnection() {
		Kind.UNIFIED.run((source, instance) -> {
			LockHandle handle = instance.template().acquire(REQUEST.lease(Duration.ofSeconds(12)));
			misalign(source.factory());
			await().atMost(Duration.ofSeconds(30)).until(() -> replaced() == 1);
			await().until(() -> handle.remainingLease().toMillis() > 8_000);
			assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		});
	}

	@Test
	void nothingIsBelievedWhereConnectionsBelongToOthers() {
		JedisConnectionFactory special = new JedisConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", redis.port())) {
		};
		special.afterPropertiesSet();
		use(ConnectionSource.of(special), (source, instance) -> {
			misalign(special);
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> instance.template().acquire(LockRequest.of(KEY).waitFor(Duration.ZERO)))
				.withMessageContaining("'" + KEY + "'")
				.withMessageContaining("to another question");
			assertThat(replaced()).isZero();
		});
		special.destroy();
	}

	@Test
	void connectionsToNodesAreReplaced() {
		RedisNode node = RedisNode.parseAll(List.of("redis://127.0.0.1:" + redis.port())).get(0);
		JedisLockConnections connections = new JedisNodeConnector(new NodeSsl(null)).connect(node,
				Duration.ofSeconds(10));
		use(ConnectionSource.of(connections), (source, instance) -> {
			misalign(connections);
			LockHandle handle = instance.template().acquire(REQUEST);
			assertThat(Kind.UNIFIED.token()).isEqualTo(Long.toString(handle.fencingToken()));
			assertThat(replaced()).isPositive();
			handle.release();
		});
		connections.destroy();
	}

	private int replaced() {
		return this.log.lines("Replacing the connections for locks").size();
	}

	/**
	 * Ask something over the connection that is lent next, and give it back without
	 * having read the reply: which looks like that of a grant.
	 */
	private static void misalign(RedisConnectionFactory connections) {
		misalign(connections, "return {5}");
	}

	private static void misalign(RedisConnectionFactory connections, String script) {
		try (RedisConnection connection = connections.getConnection()) {
			Object client = connection.getNativeConnection();
			if (client instanceof Jedis jedis) {
				ask(jedis.getConnection(), script);
			}
			else {
				try (Connection open = (client instanceof RedisClusterClient nodes)
						? nodes.getConnectionFromSlot(JedisClusterCRC16.getSlot(LOCK))
						: ((RedisClient) client).getPool().getResource()) {
					ask(open, script);
				}
			}
		}
	}

	private static void ask(Connection connection, String script) {
		connection.sendCommand(Command.EVAL, script, "0");
	}

	private static void use(ConnectionSource source, Check check) {
		try (TestInstance instance = new TestInstance((id) -> new RedisLockStore(source, "holdfast", id,
				Duration.ofHours(1), ReplicaAcks.NONE, RedisView::new))) {
			check.run(source, instance);
		}
	}

	private interface Check {

		void run(ConnectionSource source, TestInstance instance);

	}

	enum Kind {

		UNIFIED(() -> Connections.patientJedis(redis.port()), redis),

		OLD(() -> Connections.jedisOfOldKind(redis.port()), redis),

		CLUSTER(() -> Connections.patientJedisCluster(cluster), null);

		private final Supplier<JedisConnectionFactory> connect;

		private final RedisProcess server;

		Kind(Supplier<JedisConnectionFactory> connect, RedisProcess server) {
			this.connect = connect;
			this.server = server;
		}

		private void run(Check check) {
			JedisConnectionFactory application = this.connect.get();
			JedisReservedConnections reserved = new JedisReservedConnections(application, 8);
			try {
				use(reserved.source(), check);
			}
			finally {
				reserved.stop();
				application.destroy();
			}
		}

		private String token() {
			RedisProcess node = (this.server != null) ? this.server : cluster.nodeOf(LOCK);
			try (Jedis jedis = node.connect()) {
				return jedis.hget(LOCK, "token");
			}
		}

	}

}
