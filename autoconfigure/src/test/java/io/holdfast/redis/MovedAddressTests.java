package io.holdfast.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.Claims;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.NotAnswered;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Client;
import io.holdfast.test.Connections;
import io.holdfast.test.CuttingProxy;
import io.holdfast.test.RecordingWakeUps;
import io.holdfast.test.RedisReplication;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

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

	private Jedis old;

	private Jedis next;

	@BeforeEach
	void start() {
		this.servers.start();
		this.address = new CuttingProxy(this.servers.master().port());
		this.old = this.servers.master().connect();
		this.next = this.servers.replica(0).connect();
	}

	@AfterEach
	void stop() {
		this.servers.master().unfreeze();
		this.old.close();
		this.next.close();
		this.address.close();
		this.servers.close();
	}

	/**
	 * The one before becomes a replica, or still takes itself for the master, but has no
	 * replicas, or hangs: no connection to it ends.
	 */
	enum Before {

		IS_A_REPLICA, MUST_NOT_WRITE, HANGS

	}

	@ParameterizedTest
	@CsvSource({ "JEDIS, IS_A_REPLICA", "LETTUCE, IS_A_REPLICA", "JEDIS, MUST_NOT_WRITE", "LETTUCE, MUST_NOT_WRITE",
			"JEDIS, HANGS", "LETTUCE, HANGS" })
	void locksFollowItToTheNewMaster(Client client, Before before) {
		int port = this.address.port();
		RedisStores.use((before == Before.HANGS) ? client.connect(port) : client.connectPatiently(port), (instance) -> {
			LockHandle held = instance.template().acquire(LockRequest.of("held").lease(LEASE));
			useManyConnections(instance);
			await().until(() -> this.next.exists("holdfast:{held}"));
			if (before == Before.MUST_NOT_WRITE) {
				this.old.configSet("min-replicas-to-write", "1");
			}
			if (before == Before.HANGS) {
				this.servers.master().freeze();
			}
			move(before == Before.IS_A_REPLICA);
			assertThatLocksAreOnTheNext(instance);
			assertThat(held.extend(LEASE)).isTrue();
			assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
			assertThat(instance.events().lost()).isEmpty();
		});
	}

	private void move(boolean follows) {
		this.next.replicaofNoOne();
		if (follows) {
			this.old.replicaof("127.0.0.1", this.servers.replica(0).port());
		}
		this.address.leadTo(this.servers.replica(0).port());
	}

	/**
	 * Leave as many connections idle as can be in use at one time.
	 */
	private static void useManyConnections(TestInstance instance) {
		CountDownLatch inside = new CountDownLatch(CALLERS);
		List<CompletableFuture<Boolean>> callers = IntStream.range(0, CALLERS)
			.mapToObj((caller) -> Threads.start(() -> {
				inside.countDown();
				Threads.await(inside);
				for (int i = 0; i < 20; i++) {
					instance.template().acquire("idle-" + caller).release();
				}
				return true;
			}))
			.toList();
		callers.forEach(Threads::join);
	}

	private void assertThatLocksAreOnTheNext(TestInstance instance) {
		for (int i = 0; i < CALLERS; i++) {
			String key = "k" + i;
			LockHandle lock = instance.template().acquire(LockRequest.of(key).waitFor(Duration.ofSeconds(10)));
			assertThat(this.next.hget("holdfast:{" + key + "}", "token")).isEqualTo(Long.toString(lock.fencingToken()));
			assertThat(lock.release()).isEqualTo(ReleaseResult.RELEASED);
		}
	}

	@ParameterizedTest
	@CsvSource({ "JEDIS, 0", "LETTUCE, 0", "JEDIS, 1", "LETTUCE, 1" })
	void singleTryFollowsItWhateverIsIdle(Client client, int replicas) {
		ReplicaAcks acks = (replicas > 0) ? new ReplicaAcks(replicas, LEASE) : ReplicaAcks.NONE;
		RedisStores.use(client.connectPatiently(this.address.port()), acks, (instance) -> {
			useManyConnections(instance);
			move(true);
			await().until(() -> this.old.info("replication").contains("master_link_status:up"));
			assertThat(RedisStores.isAcquired(instance, "k")).isTrue();
		});
	}

	/**
	 * As behind a firewall that forgets idle connections.
	 */
	@ParameterizedTest
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	void idleConnectionsThatAreLostWithoutAWordCostOneAttempt(Client client) {
		LockRequest patient = LockRequest.of("k").waitFor(LEASE.multipliedBy(2));
		RedisStores.use(client.connect(this.address.port()), new ReplicaAcks(1, LEASE), (instance) -> {
			await().until(() -> {
				useManyConnections(instance);
				this.address.fallSilentAbout("holdfast:{k}");
				instance.template().acquire(patient).release();
				return this.address.swallowed() > 0; // the subscription may have been
														// first
			});
			// Lettuce withdraws what it has asked for by the connection that all share
			assertThat(this.address.swallowed()).isLessThanOrEqualTo((client == Client.LETTUCE) ? 2 : 1);
		});
	}

	@ParameterizedTest
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	void subscriptionFollowsIt(Client client) {
		RedisStores.use(client.connectPatiently(this.address.port()), (instance) -> {
			instance.store().listen(instance.id(), new RecordingWakeUps());
			await().until(() -> this.old.pubsubChannels("*" + instance.id()).size() == 1);
			await().until(() -> this.old.info("commandstats").contains("cmdstat_publish"));
			move(true);
			assertThatLocksAreOnTheNext(instance);
			await().until(() -> this.next.pubsubChannels("*" + instance.id()).size() == 1);
			await().until(() -> this.old.pubsubChannels("*" + instance.id()).isEmpty());
		});
	}

	/**
	 * Something that was acquired from the new master is not there yet.
	 */
	@Test
	void replicaDoesNotSayThatALockIsLost() {
		RedisConnectionFactory replica = Connections.jedis(this.servers.replica(0).port());
		try (RedisLockStore stale = RedisStores.open(replica)) {
			HoldId unknown = new HoldId("k", "one:0", 1);
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> stale.release(unknown))
				.withMessageContaining("READONLY");
			assertThat(stale.renew(List.of(new Renewal(unknown, LEASE)))).singleElement()
				.isInstanceOf(NotAnswered.class);
			Claim waiter = Claims.exclusive("k", "one:1", LEASE, 2, new QueuePlace("one:1#1", LEASE));
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> stale.transfer(unknown, waiter, false))
				.withMessageContaining("READONLY");
		}
		finally {
			RedisStores.disconnect(replica);
		}
	}

}
