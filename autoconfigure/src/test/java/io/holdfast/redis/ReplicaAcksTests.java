package io.holdfast.redis;

import java.lang.Thread.State;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisReplication;
import io.holdfast.test.Threads;
import io.lettuce.core.api.StatefulConnection;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettucePoolingClientConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Grants that count once a replica has them.
 */
@Tag("any-jdk")
@Tag("slow")
class ReplicaAcksTests {

	private static final Set<State> WAITING = Set.of(State.WAITING, State.TIMED_WAITING);

	private final RedisReplication redis = new RedisReplication(1);

	@BeforeEach
	void start() {
		this.redis.start();
	}

	@AfterEach
	void stop() {
		this.redis.close();
	}

	static Stream<IntFunction<RedisConnectionFactory>> clients() {
		return Stream.of(Connections::jedis, Connections::lettuce);
	}

	static Stream<IntFunction<RedisConnectionFactory>> patientClients() {
		return Stream.of(Connections::patientJedis, Connections::patientLettuce);
	}

	private void withInstance(RedisConnectionFactory connections, Consumer<TestInstance> action) throws Exception {
		withInstance(connections, Duration.ofMillis(200), action);
	}

	private void withInstance(RedisConnectionFactory connections, Duration timeout, Consumer<TestInstance> action)
			throws Exception {
		try (TestInstance instance = new TestInstance((id) -> new RedisLockStore(connections, "holdfast",
				Duration.ofHours(1), new ReplicaAcks(1, timeout)))) {
			action.accept(instance);
			((RedisLockStore) instance.store()).close();
		}
		finally {
			((DisposableBean) connections).destroy();
		}
	}

	/**
	 * Return the connections to the master that locks are asked for on.
	 */
	private List<String> connections() {
		try (Jedis master = this.redis.master().connect()) {
			return master.clientList()
				.lines()
				.filter((client) -> client.contains(" flags=N ") || client.contains(" flags=b "))
				.filter((client) -> !client.startsWith("id=" + master.clientId() + " "))
				.toList();
		}
	}

	@ParameterizedTest
	@MethodSource("clients")
	void grantsAreOnTheReplica(IntFunction<RedisConnectionFactory> client) throws Exception {
		withInstance(client.apply(this.redis.master().port()), (instance) -> {
			for (int i = 0; i < 20; i++) {
				String key = "k" + i;
				try (LockHandle lock = instance.template().acquire(key);
						Jedis replica = this.redis.replica(0).connect()) {
					assertThat(replica.hget("holdfast:{" + key + "}", "token"))
						.isEqualTo(Long.toString(lock.fencingToken()));
				}
			}
		});
	}

	@ParameterizedTest
	@MethodSource("clients")
	void withoutTheReplicaNothingIsGrantedAndNoLockIsLeft(IntFunction<RedisConnectionFactory> client) throws Exception {
		this.redis.replica(0).kill();
		withInstance(client.apply(this.redis.master().port()), (instance) -> {
			for (LockRequest request : List.of(LockRequest.of("k").waitFor(Duration.ZERO),
					LockRequest.of("k").waitFor(Duration.ofMillis(700)))) {
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> instance.template().acquire(request))
					.withMessageContaining("0 of 1 replicas confirmed the grant within 200 ms")
					.withRootCauseInstanceOf(LockStoreException.class);
			}
			try (Jedis master = this.redis.master().connect()) {
				await().untilAsserted(() -> assertThat(master.keys("*")).containsExactly("holdfast:{k}:token"));
			}
			assertThat(instance.registry().held()).isEmpty();
		});
	}

	/**
	 * Nobody waits for the lock: that would take the only connection to listen.
	 */
	@Test
	void pooledConnectionsAreGivenBackWhateverHappensOnThem() throws Exception {
		withInstance(Connections.jedis(this.redis.master().port(), 1), (instance) -> {
			LockRequest once = LockRequest.of("k").waitFor(Duration.ZERO);
			this.redis.replica(0).freeze();
			for (int i = 0; i < 3; i++) {
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> instance.template().acquire(once));
			}
			this.redis.master().freeze();
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> instance.template().acquire(once));
			this.redis.master().unfreeze();
			this.redis.replica(0).unfreeze();
			await().ignoreExceptions()
				.until(() -> instance.template().acquire(once).release() == ReleaseResult.RELEASED);
		});
	}

	@Test
	void waitersGetTheLockOneAfterTheOther() throws Exception {
		withInstance(Connections.jedis(this.redis.master().port()), (instance) -> {
			LockHandle first = instance.template().acquire("k");
			List<CompletableFuture<Long>> waiters = Stream.generate(() -> Threads.start(() -> {
				try (LockHandle lock = instance.template().acquire("k")) {
					return lock.fencingToken();
				}
			})).limit(4).toList();
			await().until(() -> instance.registry().status().acquiring() == 4);
			first.release();
			assertThat(waiters.stream().map(Threads::join)).doesNotHaveDuplicates()
				.allMatch((token) -> token > first.fencingToken());
		});
	}

	@ParameterizedTest
	@MethodSource("patientClients")
	void othersAreServedWhileReplicasAreWaitedFor(IntFunction<RedisConnectionFactory> client) throws Exception {
		withInstance(client.apply(this.redis.master().port()), Duration.ofMinutes(1), (instance) -> {
			LockHandle held = instance.template().acquire("held");
			this.redis.replica(0).freeze();
			List<CompletableFuture<LockHandle>> pending = IntStream.range(0, 5)
				.mapToObj((i) -> Threads.start(() -> instance.template().acquire("k" + i)))
				.toList();
			await().until(() -> waiting().size() == 5);
			assertThat(held.extend(Duration.ofMinutes(2))).isTrue();
			assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
			assertThat(pending).noneMatch(CompletableFuture::isDone);
			this.redis.replica(0).unfreeze();
			pending.forEach((lock) -> Threads.join(lock).release());
		});
	}

	@ParameterizedTest
	@MethodSource("patientClients")
	void grantThatIsLostWhileReplicasAreWaitedForDoesNotCount(IntFunction<RedisConnectionFactory> client)
			throws Exception {
		withInstance(client.apply(this.redis.master().port()), Duration.ofMinutes(1), (instance) -> {
			instance.template().acquire("k").release();
			this.redis.replica(0).freeze();
			CompletableFuture<LockHandle> caller = Threads
				.start(() -> instance.template().acquire(LockRequest.of("k").waitForever()));
			await().until(() -> waiting().size() == 1);
			this.redis.master().kill();
			this.redis.master().start();
			this.redis.replica(0).unfreeze();
			LockHandle lock = Threads.join(caller);
			try (Jedis master = this.redis.master().connect()) {
				assertThat(master.hget("holdfast:{k}", "token")).isEqualTo(Long.toString(lock.fencingToken()));
			}
			assertThat(lock.release()).isNotEqualTo(ReleaseResult.LOST);
		});
	}

	/**
	 * Return the ids of the connections on which Redis waits for replicas.
	 */
	private List<String> waiting() {
		return connections().stream()
			.filter((client) -> client.contains(" flags=b ") && client.contains("cmd=wait"))
			.map(ReplicaAcksTests::id)
			.toList();
	}

	@Test
	void lettuceKeepsFewConnectionsAndNoneInTheEnd() throws Exception {
		LettuceConnectionFactory lettuce = Connections.lettuce(this.redis.master().port());
		withInstance(lettuce, (instance) -> {
			Set<String> seen = new HashSet<>();
			for (int i = 0; i < 20; i++) {
				instance.template().acquire("k").release();
				connections().forEach((connection) -> seen.add(id(connection)));
			}
			assertThat(seen).hasSize(2);
			List<CompletableFuture<Void>> callers = IntStream.range(0, 16).mapToObj((i) -> Threads.<Void>start(() -> {
				instance.template().acquire("k" + i).release();
				return null;
			})).toList();
			callers.forEach(Threads::join);
			await().untilAsserted(() -> assertThat(connections()).hasSizeLessThanOrEqualTo(1 + 8));
			((RedisLockStore) instance.store()).close();
			await().untilAsserted(() -> assertThat(connections()).isEmpty());
		});
	}

	private static String id(String connection) {
		return connection.substring(0, connection.indexOf(' '));
	}

	@ParameterizedTest
	@MethodSource("clients")
	void connectionsThatAreCutWhileTheyAreIdleDoNotMatter(IntFunction<RedisConnectionFactory> client) throws Exception {
		withInstance(client.apply(this.redis.master().port()), (instance) -> {
			for (int i = 0; i < 5; i++) {
				LockHandle lock = instance.template().acquire("k");
				assertThat(lock.isHeld()).isTrue();
				lock.release();
				List<String> before = connections().stream().map(ReplicaAcksTests::id).toList();
				try (Jedis master = this.redis.master().connect()) {
					master
						.clientKill(new ClientKillParams().type(ClientType.NORMAL).skipMe(ClientKillParams.SkipMe.YES));
				}
				await().until(() -> connections().stream()

					.map(ReplicaAcksTests::id)

					.noneMatch(before::contains));
			}
		});
	}

	/**
	 * A connection that is there when nobody waits for it any more, or on which a grant
	 * was waited for, is closed.
	 */
	@Test
	void lettuceKeepsNoConnectionsOfThoseWhoAreInterrupted() throws Exception {
		LettuceConnectionFactory lettuce = Connections.patientLettuce(this.redis.master().port());
		withInstance(lettuce, Duration.ofMinutes(1), (instance) -> {
			instance.template().acquire("before").release();
			int before = connections().size();
			this.redis.replica(0).freeze();
			List<Thread> callers = IntStream.range(0, 12).mapToObj((i) -> waiting(instance, i)).toList();
			await().until(() -> waiting().size() == callers.size());
			interruptUntilEnd(callers);
			await().untilAsserted(() -> assertThat(connections()).hasSizeLessThanOrEqualTo(before));
			this.redis.master().freeze();
			List<Thread> connecting = IntStream.range(0, 12).mapToObj((i) -> waiting(instance, i)).toList();
			await().until(() -> connecting.stream().map(Thread::getState).allMatch(WAITING::contains));
			interruptUntilEnd(connecting);
			this.redis.master().unfreeze();
			this.redis.replica(0).unfreeze();
			await().untilAsserted(() -> assertThat(connections()).hasSizeLessThanOrEqualTo(before));
		});
	}

	private static Thread waiting(TestInstance instance, int number) {
		Thread thread = new Thread(() -> assertThatException()
			.isThrownBy(() -> instance.template().acquire(LockRequest.of("k" + number).waitFor(Duration.ZERO))));
		thread.start();
		return thread;
	}

	/**
	 * An interrupt that comes before a thread asks Redis is put off until it has asked.
	 */
	private static void interruptUntilEnd(List<Thread> callers) {
		await().until(() -> {
			callers.forEach(Thread::interrupt);
			return callers.stream().noneMatch(Thread::isAlive);
		});
	}

	@Test
	void lettuceUsesItsDatabase() throws Exception {
		RedisStandaloneConfiguration master3 = new RedisStandaloneConfiguration("127.0.0.1",
				this.redis.master().port());
		master3.setDatabase(3);
		LettuceConnectionFactory lettuce = new LettuceConnectionFactory(master3);
		lettuce.afterPropertiesSet();
		withInstance(lettuce, (instance) -> {
			LockHandle lock = instance.template().acquire("k");
			try (Jedis master = this.redis.master().connect()) {
				assertThat(master.exists("holdfast:{k}")).isFalse();
				master.select(3);
				assertThat(master.exists("holdfast:{k}")).isTrue();
			}
			assertThat(lock.release()).isEqualTo(ReleaseResult.RELEASED);
		});
	}

	@Test
	void lettuceThatSharesNothingOrPoolsWorksTheSame() throws Exception {
		LettuceConnectionFactory unshared = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", this.redis.master().port()));
		unshared.setShareNativeConnection(false);
		GenericObjectPoolConfig<StatefulConnection<?, ?>> two = new GenericObjectPoolConfig<>();
		two.setMaxTotal(2);
		LettuceConnectionFactory pooled = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", this.redis.master().port()),
				LettucePoolingClientConfiguration.builder().poolConfig(two).build());
		for (LettuceConnectionFactory lettuce : List.of(unshared, pooled)) {
			lettuce.afterPropertiesSet();
			withInstance(lettuce, (instance) -> {
				for (int i = 0; i < 3; i++) {
					assertThat(instance.template().acquire("k").release()).isEqualTo(ReleaseResult.RELEASED);
				}
			});
		}
	}

}
