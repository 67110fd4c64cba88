package io.holdfast.autoconfigure;

import java.time.Duration;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.TestInstance;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.redis.ReplicaAcks;
import io.holdfast.redis.connection.JedisLockConnectionFactory;
import io.holdfast.redis.inspect.RedisView;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
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
 * Connections on which a reply to another question is still to come, left there by a
 * thread that an error has hit: of a Cluster's nodes, and those of the application. Those
 * of locks to one server are closed instead.
 */
@Tag("any-jdk")
@Tag("slow")
class MisplacedReplyTests {

	private static final String KEY = "key";

	private static final String LOCK = "holdfast:{key}";

	private static final LockRequest REQUEST = LockRequest.of(KEY).waitFor(Duration.ofSeconds(30));

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	@RegisterExtension
	static final RedisCluster cluster = new RedisCluster();

	@BeforeEach
	void forgetLock() {
		try (Jedis jedis = cluster.nodeOf(LOCK).connect()) {
			jedis.del(LOCK);
		}
	}

	@Test
	void replyToAnotherQuestionGrantsNothing() {
		onCluster((connections, instance) -> {
			LockHandle held = instance.template().acquire(LockRequest.of("another"));
			misalign(connections);
			LockHandle handle = instance.template().acquire(REQUEST);
			assertThat(token()).isEqualTo(Long.toString(handle.fencingToken()));
			assertThat(handle.release()).isNotEqualTo(ReleaseResult.LOST);
			await().until(() -> token() == null);
			assertThat(held.release()).isNotEqualTo(ReleaseResult.LOST);
		});
	}

	@Test
	void replyToAnotherQuestionReleasesNothing() {
		onCluster((connections, instance) -> {
			LockHandle handle = instance.template().acquire(REQUEST);
			misalign(connections);
			assertThat(handle.release()).isEqualTo(ReleaseResult.PENDING);
			await().until(() -> token() == null);
			assertThat(instance.template().acquire(REQUEST).release()).isEqualTo(ReleaseResult.RELEASED);
		});
	}

	/**
	 * Spring Data expects a list, and fails on anything else. An attempt that fails at
	 * once is made again, over another connection.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "return 5", "return 'text'", "return false" })
	void replyOfAnotherKindGrantsNothing(String script) {
		onCluster((connections, instance) -> {
			misalign(connections, script);
			try (LockHandle handle = instance.template().acquire(REQUEST.waitFor(Duration.ZERO))) {
				assertThat(token()).isEqualTo(String.valueOf(handle.fencingToken()));
			}
			catch (LockUnavailableException ex) {
				assertThat(ex).hasMessageContaining("to another request"); // too late to
																			// ask again
			}
			instance.template().acquire(REQUEST.waitFor(Duration.ZERO)).release();
		});
	}

	@Test
	void renewalIsRepeatedOverAnotherConnection() {
		onCluster((connections, instance) -> {
			LockHandle handle = instance.template().acquire(REQUEST.lease(Duration.ofSeconds(12)));
			misalign(connections);
			await().until(() -> handle.remainingLease().toMillis() < 8_000);
			await().until(() -> handle.remainingLease().toMillis() > 8_000);
			assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		});
	}

	/**
	 * The first extension is the complete renewal that a shorter one needs.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "return {5}", "return {'text'}" })
	void replyThatCannotBeReadRenewsNothing(String script) {
		JedisConnectionFactory application = new JedisConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", redis.port()));
		application.afterPropertiesSet();
		JedisLockConnectionFactory own = JedisLockConnectionFactory.like(application, 8);
		use(own, (connections, instance) -> {
			Duration lease = Duration.ofSeconds(30);
			LockHandle handle = instance.template().acquire(REQUEST.lease(lease));
			assertThat(handle.extend(lease)).isTrue();
			misalign(connections, script);
			try {
				assertThat(handle.extend(lease)).isTrue();
			}
			catch (LockUnavailableException ex) {
				assertThat(handle.isHeld()).isTrue(); // too late to ask again
			}
			assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		});
		own.destroy();
		application.destroy();
	}

	@Test
	void nothingIsBelievedWhereConnectionsBelongToOthers() {
		JedisConnectionFactory special = new JedisConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", redis.port())) {
		};
		special.afterPropertiesSet();
		use(special, (same, instance) -> {
			instance.template().acquire(REQUEST).release(); // Redis knows the scripts
			misalign(special);
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> instance.template().acquire(LockRequest.of(KEY).waitFor(Duration.ZERO)))
				.withMessageContaining("'" + KEY + "'")
				.withMessageContaining("to another request");
		});
		special.destroy();
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
			try (Connection open = (client instanceof RedisClusterClient nodes)
					? nodes.getConnectionFromSlot(JedisClusterCRC16.getSlot(LOCK))
					: ((RedisClient) client).getPool().getResource()) {
				open.sendCommand(Command.EVAL, script, "0");
			}
		}
	}

	private static void onCluster(Check check) {
		JedisConnectionFactory application = Connections.patientJedisCluster(cluster);
		JedisLockConnectionFactory own = JedisLockConnectionFactory.like(application, 8);
		try {
			use(own, check);
		}
		finally {
			own.destroy();
			application.destroy();
		}
	}

	private static String token() {
		try (Jedis jedis = cluster.nodeOf(LOCK).connect()) {
			return jedis.hget(LOCK, "token");
		}
	}

	private static void use(RedisConnectionFactory connections, Check check) {
		try (TestInstance instance = new TestInstance((id) -> new RedisLockStore(connections, "holdfast",
				Duration.ofHours(1), ReplicaAcks.NONE, RedisView::new))) {
			check.run(connections, instance);
		}
	}

	private interface Check {

		void run(RedisConnectionFactory connections, TestInstance instance);

	}

}
