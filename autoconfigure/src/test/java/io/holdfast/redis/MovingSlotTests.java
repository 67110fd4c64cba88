package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStore.Renewed;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Client;
import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.MigrateParams;
import redis.clients.jedis.util.JedisClusterCRC16;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks in a slot of a Cluster while it is being moved to another master, which may take
 * any time.
 */
@Tag("any-jdk")
@Tag("slow")
class MovingSlotTests {

	@RegisterExtension
	static final RedisCluster cluster = new RedisCluster();

	private final String key = "k-" + UUID.randomUUID();

	private final String lock = "holdfast:{" + this.key + "}";

	private final int slot = JedisClusterCRC16.getSlot(this.lock);

	private final RedisProcess source = cluster.nodeOf(this.lock);

	private final RedisProcess target = cluster.nodes()
		.stream()
		.filter((node) -> node != this.source)
		.findFirst()
		.orElseThrow();

	private final LockRequest oneTry = LockRequest.of(this.key).ownedByHandle().waitFor(Duration.ofSeconds(5));

	@AfterEach
	void end() {
		try (Jedis from = this.source.connect(); Jedis to = this.target.connect()) {
			from.clusterSetSlotStable(this.slot);
			to.clusterSetSlotStable(this.slot);
		}
	}

	private void beginToMove() {
		try (Jedis from = this.source.connect(); Jedis to = this.target.connect()) {
			to.clusterSetSlotImporting(this.slot, from.clusterMyId());
			from.clusterSetSlotMigrating(this.slot, to.clusterMyId());
		}
	}

	/**
	 * Move keys as {@code redis-cli} does.
	 */
	private void moveKeys() {
		try (Jedis from = this.source.connect()) {
			List<String> keys = from.clusterGetKeysInSlot(this.slot, 100);
			if (!keys.isEmpty()) {
				assertThat(from.migrate("127.0.0.1", this.target.port(), 5_000, new MigrateParams(),
						keys.toArray(String[]::new)))
					.isEqualTo("OK");
			}
		}
	}

	private void finish() {
		try (Jedis to = this.target.connect()) {
			String id = to.clusterMyId();
			cluster.nodes().forEach((node) -> {
				try (Jedis jedis = node.connect()) {
					jedis.clusterSetSlotNode(this.slot, id);
				}
			});
		}
	}

	private static void use(Client client, Consumer<TestInstance> test) {
		RedisStores.use(client.connectPatiently(cluster), (instance) -> {
			test.accept(instance);
			assertThat(instance.events().lost()).isEmpty();
		});
	}

	/**
	 * One of two locks in the slot is still where it comes from: neither is taken for
	 * gone, whichever is asked for first.
	 */
	@ParameterizedTest
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	void isRenewedWithThoseOfOtherSlotsAndMasters(Client client) {
		use(client, (instance) -> {
			String moved = "{" + this.key + "}-moved";
			List<LockHandle> handles = Stream
				.concat(Stream.of(moved, "{" + this.key + "}-not"), IntStream.range(0, 9).mapToObj((i) -> this.key + i))
				.map((key) -> instance.template().acquire(LockRequest.of(key).ownedByHandle()))
				.toList();
			beginToMove();
			move("holdfast:" + moved);
			List<Renewal> renewals = new ArrayList<>(instance.registry()
				.held()
				.stream()
				.map((lock) -> new HoldId(lock.keys().get(0), lock.owner(), lock.fencingToken()))
				.map((hold) -> new Renewal(hold, Duration.ofMinutes(2)))
				.toList());
			for (int i = 0; i < renewals.size(); i++) {
				Collections.rotate(renewals, 1);
				assertThat(instance.store().renew(renewals)).hasSameSizeAs(handles)
					.hasOnlyElementsOfType(Renewed.class);
			}
			moveKeys();
			finish();
			assertThat(handles).extracting(LockHandle::release).containsOnly(ReleaseResult.RELEASED);
		});
	}

	@ParameterizedTest
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	void lockIsReleasedAndGrantedOnceTheSlotHasMoved(Client client) {
		use(client, (instance) -> {
			LockHandle first = instance.template().acquire(this.oneTry);
			beginToMove();
			CompletableFuture<LockHandle> waiter = Threads
				.start(() -> instance.template().acquire(this.oneTry.waitForever()));
			await().until(() -> instance.registry().status().waiting() == 1);
			first.close();
			await().until(() -> !isInRedis());
			assertThat(waiter).isNotDone();
			moveKeys();
			finish();
			LockHandle second = Threads.join(waiter);
			assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
			assertThat(second.release()).isEqualTo(ReleaseResult.RELEASED);
		});
	}

	/**
	 * Its hash is where the slot goes to, and its shares are not.
	 */
	@ParameterizedTest
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	void sharedLockOutlivesTheMove(Client client) {
		use(client, (instance) -> {
			LockHandle reader = instance.template().acquire(this.oneTry.shared());
			beginToMove();
			move(this.lock);
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> reader.extend(Duration.ofMinutes(2)))
				.withMessageContaining("being moved");
			assertThat(reader.isHeld()).isTrue();
			moveKeys();
			finish();
			assertThat(reader.extend(Duration.ofMinutes(2))).isTrue();
			assertThat(reader.release()).isEqualTo(ReleaseResult.RELEASED);
		});
	}

	private boolean isInRedis() {
		return this.source.ask((from) -> from.clusterGetKeysInSlot(this.slot, 100).contains(this.lock));
	}

	private void move(String key) {
		this.source.with((from) -> from.migrate("127.0.0.1", this.target.port(), 5_000, new MigrateParams(), key));
	}

}
