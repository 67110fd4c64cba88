package io.holdfast.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.Claims;
import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.NotAnswered;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Connections;
import io.holdfast.test.CuttingProxy;
import io.holdfast.test.RecordingWakeUps;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.RedisReplication;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * An address that leads to another master, while the one before stays up and connections
 * to it stay open.
 */
@Tag("slow")
class MovedAddressTests {

	private static final Duration LEASE = Duration.ofSeconds(20);

	private static final int CALLERS = 5;

	private final RedisReplication servers = new RedisReplication(1);

	private CuttingProxy address;

	@BeforeEach
	void start() {
		this.servers.start();
		this.address = new CuttingProxy(this.servers.master().port());
	}

	@AfterEach
	void stop() {
		this.address.close();
		this.servers.close();
	}

	static Stream<IntFunction<RedisConnectionFactory>> clients() {
		return Stream.of(Connections::jedis, Connections::lettuce);
	}

	@ParameterizedTest
	@MethodSource("clients")
	void locksFollowItToTheNewMaster(IntFunction<RedisConnectionFactory> client) throws Exception {
		RedisConnectionFactory connections = client.apply(this.address.port());
		try (TestInstance instance = new TestInstance((id) -> store(connections));
				Jedis old = this.servers.master().connect();
				Jedis next = this.servers.replica(0).connect()) {
			LockHandle held = instance.template().acquire(LockRequest.of("held").lease(LEASE));
			useManyConnections(instance);
			await().until(() -> next.exists("holdfast:{held}"));
			next.replicaofNoOne();
			old.replicaof("127.0.0.1", this.servers.replica(0).port());
			this.address.leadTo(this.servers.replica(0).port());
			assertThatLocksAreOn(this.servers.replica(0), instance);
			assertThat(held.extend(LEASE)).isTrue();
			assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
			assertThat(instance.events().lost()).isEmpty();
		}
		finally {
			((DisposableBean) connections).destroy();
		}
	}

	static Stream<Arguments> patientClients() {
		return Stream.<IntFunction<RedisConnectionFactory>>of(Connections::patientJedis, Connections::patientLettuce)
			.flatMap((client) -> Stream.of(ReplicaAcks.NONE, new ReplicaAcks(1, LEASE))
				.map((acks) -> Arguments.of(client, acks)));
	}

	@ParameterizedTest
	@MethodSource("patientClients")
	void singleTryFollowsItWhateverIsIdle(IntFunction<RedisConnectionFactory> client, ReplicaAcks acks)
			throws Exception {
		RedisConnectionFactory connections = client.apply(this.address.port());
		try (TestInstance instance = new TestInstance(
				(id) -> new RedisLockStore(connections, "holdfast", Duration.ofHours(1), acks));
				Jedis old = this.servers.master().connect();
				Jedis next = this.servers.replica(0).connect()) {
			useManyConnections(instance);
			next.replicaofNoOne();
			old.replicaof("127.0.0.1", this.servers.replica(0).port());
			await().until(() -> old.info("replication").contains("master_link_status:up"));
			this.address.leadTo(this.servers.replica(0).port());
			LockRequest oneTry = LockRequest.of("k").waitFor(Duration.ZERO);
			assertThat(instance.template().acquire(oneTry).release()).isEqualTo(ReleaseResult.RELEASED);
		}
		finally {
			((DisposableBean) connections).destroy();
		}
	}

	/**
	 * The one before still takes itself for the master, but has no replicas.
	 */
	@ParameterizedTest
	@MethodSource("clients")
	void locksFollowItFromAMasterThatMustNotWrite(IntFunction<RedisConnectionFactory> client) throws Exception {
		RedisConnectionFactory connections = client.apply(this.address.port());
		try (TestInstance instance = new TestInstance((id) -> store(connections));
				Jedis old = this.servers.master().connect();
				Jedis next = this.servers.replica(0).connect()) {
			useManyConnections(instance);
			old.configSet("min-replicas-to-write", "1");
			next.replicaofNoOne();
			this.address.leadTo(this.servers.replica(0).port());
			assertThatLocksAreOn(this.servers.replica(0), instance);
		}
		finally {
			((DisposableBean) connections).destroy();
		}
	}

	/**
	 * No connection to it ends.
	 */
	@ParameterizedTest
	@MethodSource("clients")
	void locksFollowItFromAMasterThatHangs(IntFunction<RedisConnectionFactory> client) throws Exception {
		RedisConnectionFactory connections = client.apply(this.address.port());
		try (TestInstance instance = new TestInstance((id) -> store(connections));
				Jedis next = this.servers.replica(0).connect()) {
			LockHandle held = instance.template().acquire(LockRequest.of("held").lease(LEASE));
			useManyConnections(instance);
			await().until(() -> next.exists("holdfast:{held}"));
			this.servers.master().freeze();
			next.replicaofNoOne();
			this.address.leadTo(this.servers.replica(0).port());
			assertThatLocksAreOn(this.servers.replica(0), instance);
			assertThat(held.extend(LEASE)).isTrue();
			assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
		}
		finally {
			this.servers.master().unfreeze();
			((DisposableBean) connections).destroy();
		}
	}

	@ParameterizedTest
	@MethodSource("clients")
	void subscriptionFollowsIt(IntFunction<RedisConnectionFactory> client) throws Exception {
		RedisConnectionFactory connections = client.apply(this.address.port());
		try (TestInstance instance = new TestInstance((id) -> store(connections));
				Jedis old = this.servers.master().connect();
				Jedis next = this.servers.replica(0).connect()) {
			useManyConnections(instance);
			instance.store().listen(instance.id(), new RecordingWakeUps());
			await().until(() -> old.pubsubChannels("*" + instance.id()).size() == 1);
			await().until(() -> old.info("commandstats").contains("cmdstat_publish"));
			next.replicaofNoOne();
			old.replicaof("127.0.0.1", this.servers.replica(0).port());
			this.address.leadTo(this.servers.replica(0).port());
			assertThatLocksAreOn(this.servers.replica(0), instance);
			await().atMost(LEASE).until(() -> next.pubsubChannels("*" + instance.id()).size() == 1);
			await().until(() -> old.pubsubChannels("*" + instance.id()).isEmpty());
		}
		finally {
			((DisposableBean) connections).destroy();
		}
	}

	/**
	 * Something that was acquired from the new master is not there yet.
	 */
	@Test
	void replicaDoesNotSayThatALockIsLost() throws Exception {
		RedisConnectionFactory master = Connections.jedis(this.servers.master().port());
		RedisConnectionFactory replica = Connections.jedis(this.servers.replica(0).port());
		try {
			LockStore stale = store(replica);
			HoldId unknown = new HoldId("k", "one:0", 1);
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> stale.release(unknown))
				.withMessageContaining("READONLY");
			assertThat(stale.renew(List.of(new Renewal(unknown, LEASE)))).singleElement()
				.isInstanceOf(NotAnswered.class);
			Claim waiter = Claims.exclusive("k", "one:1", LEASE, 2, new QueuePlace("one:1#1", LEASE));
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> stale.transfer(unknown, waiter, false))
				.withMessageContaining("READONLY");
			assertThat(store(master).release(unknown)).isFalse();
		}
		finally {
			((DisposableBean) master).destroy();
			((DisposableBean) replica).destroy();
		}
	}

	private static LockStore store(RedisConnectionFactory connections) {
		return new RedisLockStore(connections, "holdfast", Duration.ofHours(1), ReplicaAcks.NONE);
	}

	/**
	 * Leave as many connections idle as can be in use at one time.
	 */
	private static void useManyConnections(TestInstance instance) {
		CountDownLatch inside = new CountDownLatch(CALLERS);
		List<CompletableFuture<Void>> callers = IntStream.range(0, CALLERS)
			.mapToObj((caller) -> Threads.<Void>start(() -> {
				inside.countDown();
				Threads.await(inside);
				for (int i = 0; i < 20; i++) {
					instance.template().acquire("idle-" + caller).release();
				}
				return null;
			}))
			.toList();
		callers.forEach(Threads::join);
	}

	private static void assertThatLocksAreOn(RedisProcess server, TestInstance instance) {
		try (Jedis jedis = server.connect()) {
			for (int i = 0; i < CALLERS; i++) {
				String key = "k" + i;
				LockHandle lock = instance.template().acquire(LockRequest.of(key).waitFor(Duration.ofSeconds(10)));
				assertThat(jedis.hget("holdfast:{" + key + "}", "token")).isEqualTo(Long.toString(lock.fencingToken()));
				assertThat(lock.release()).isEqualTo(ReleaseResult.RELEASED);
			}
		}
	}

}
