package io.holdfast.quorum;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

import io.holdfast.engine.Claims;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.redis.ReplicaAcks;
import io.holdfast.test.Connections;
import io.holdfast.test.DisturbedConnections;
import io.holdfast.test.Inherited;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Threads that ask nodes: what they know of those who start them, and what becomes of
 * them when something goes wrong that never should.
 */
class NodeThreadsTests {

	@RegisterExtension
	static final QuorumServers servers = QuorumServers.sure(3);

	private final Set<Inherited> known = ConcurrentHashMap.newKeySet();

	private final AtomicInteger errors = new AtomicInteger();

	private final IntConsumer beforeCall = (call) -> {
		this.known.add(Inherited.here());
		if (this.errors.getAndDecrement() > 0) {
			throw new OutOfMemoryError("for a test");
		}
	};

	private final QuorumLockStore store = servers.openDisturbed("one",
			Map.of(0, this.beforeCall, 1, this.beforeCall, 2, this.beforeCall));

	@Test
	void inheritNothingOfWhoStartsThem() {
		Inherited
			.give(() -> assertThat(this.store.acquire(Claims.exclusive("k", "one:1", Duration.ofSeconds(30), 1, null)))
				.isInstanceOf(Granted.class));
		assertThat(this.known).isNotEmpty().extracting(Inherited::user).containsOnlyNulls();
		assertThat(this.known).extracting(Inherited::classLoader)
			.containsOnly(Thread.currentThread().getContextClassLoader());
	}

	/**
	 * The first of them on the thread that takes back later what was granted in vain.
	 */
	@Test
	void requestsAreSentWhateverIsThrown() {
		JedisConnectionFactory connections = Connections.jedis(servers.server(0).port());
		RedisLockStore node = new RedisLockStore(DisturbedConnections.of(connections, this.beforeCall), "holdfast",
				Duration.ofHours(1), ReplicaAcks.NONE);
		PendingRequests pending = new PendingRequests(new NodeLocks(node, Duration.ofHours(1)));
		this.errors.set(3);
		pending.add(PendingRequest.TakeBack.of(new HoldId("l", "one:1", 7)), Duration.ofSeconds(30));
		await().until(() -> pending.count() == 0);
		assertThat(this.errors.get()).isLessThan(0);
		pending.close();
		node.close();
		connections.destroy();
	}

}
