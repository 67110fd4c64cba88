package io.holdfast.redis;

import java.lang.Thread.State;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Client;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisReplication;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

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

	private void withInstance(RedisConnectionFactory connections, Consumer<TestInstance> action) {
		withInstance(connections, Duration.ofMillis(200), action);
	}

	private void withInstance(RedisConnectionFactory connections, Duration timeout, Consumer<TestInstance> action) {
		RedisStores.use(connections, new ReplicaAcks(1, timeout), action);
	}

	/**
	 * Return the connections to the master that locks are asked for on.
	 */
	private List<String> connections() {
		return this.redis.master()
			.ask((master) -> master.clientList()
				.lines()
				.filter((client) -> client.contains(" flags=N ") || client.contains(" flags=b "))
				.filter((client) -> !client.startsWith("id=" + master.clientId() + " "))
				.toList());
	}

	@ParameterizedTest
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	void grantsAreOnTheReplica(Client client) {
		withInstance(client.connectPatiently(this.redis.master().port()), (instance) -> {
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
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	void withoutTheReplicaNothingIsGrantedAndNoLockIsLeft(Client client) {
		this.redis.replica(0).kill();
		withInstance(client.connectPatiently(this.redis.master().port()), (instance) -> {
			for (LockRequest request : List.of(LockRequest.of("k").waitFor(Duration.ZERO),
					LockRequest.of("k").waitFor(Duration.ofMillis(700)))) {
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> instance.template().acquire(request))
					.withMessageContaining("0 of 1 replicas confirmed the grant within 200 ms")
					.withRootCauseInstanceOf(LockStoreException.class);
			}
			this.redis.master()
				.with((master) -> await().untilAsserted(
						() -> assertThat(master.keys("*")).doesNotContain("holdfast:{k}", "holdfast:{k}:queue")));
			assertThat(instance.registry().held()).isEmpty();
		});
	}

	@Test
	void waitersGetTheLockOneAfterTheOther() {
		withInstance(Client.JEDIS.connectPatiently(this.redis.master().port()), Duration.ofMinutes(1), (instance) -> {
			LockHandle first = instance.template().acquire("k");
			List<CompletableFuture<Long>> waiters = Stream.generate(() -> Threads.start(() -> {
				try (LockHandle lock = instance.template().acquire(LockRequest.of("k").waitForever())) {
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
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	void othersAreServedWhileReplicasAreWaitedFor(Client client) {
		withInstance(client.connectPatiently(this.redis.master().port()), Duration.ofMinutes(1), (instance) -> {
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
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	void grantThatIsLostWhileReplicasAreWaitedForDoesNotCount(Client client) {
		withInstance(client.connectPatiently(this.redis.master().port()), Duration.ofMinutes(1), (instance) -> {
			instance.template().acquire("k").release();
			this.redis.replica(0).freeze();
			CompletableFuture<LockHandle> caller = Threads
				.start(() -> instance.template().acquire(LockRequest.of("k").waitForever()));
			await().until(() -> waiting().size() == 1);
			this.redis.master().kill();
			this.redis.master().start();
			this.redis.replica(0).unfreeze();
			LockHandle lock = Threads.join(caller);
			this.redis.master()
				.with((master) -> assertThat(master.hget("holdfast:{k}", "token"))
					.isEqualTo(Long.toString(lock.fencingToken())));
			assertThat(lock.release()).isNotEqualTo(ReleaseResult.LOST);
		});
	}

	private List<String> waiting() {
		return connections().stream()
			.filter((client) -> client.contains(" flags=b ") && client.contains("cmd=wait"))
			.map(ReplicaAcksTests::id)
			.toList();
	}

	@Test
	void lettuceKeepsFewConnectionsAndNoneInTheEnd() {
		LettuceConnectionFactory lettuce = Connections.patientLettuce(this.redis.master().port());
		withInstance(lettuce, Duration.ofMinutes(1), (instance) -> {
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

	/**
	 * A connection that is there when nobody waits for it any more, or on which a grant
	 * was waited for, is closed.
	 */
	@Test
	void lettuceKeepsNoConnectionsOfThoseWhoAreInterrupted() {
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

}
