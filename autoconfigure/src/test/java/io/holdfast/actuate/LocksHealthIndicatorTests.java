package io.holdfast.actuate;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.engine.TestInstance;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.redis.ReplicaAcks;
import io.holdfast.redis.inspect.RedisView;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Health of locks, with Redis alive, dead and frozen.
 */
@Tag("slow")
class LocksHealthIndicatorTests {

	private final RedisProcess redis = new RedisProcess();

	private JedisConnectionFactory connections;

	private TestInstance instance;

	private LocksHealthIndicator indicator;

	@BeforeEach
	void start() {
		this.redis.start();
		this.connections = Connections.jedis(this.redis.port());
		this.instance = new TestInstance((id) -> new RedisLockStore(this.connections, "holdfast", Duration.ofHours(24),
				ReplicaAcks.NONE, RedisView::new));
		this.indicator = new LocksHealthIndicator(this.instance.registry());
	}

	@AfterEach
	void stop() {
		this.redis.close();
		this.instance.close();
		this.connections.destroy();
	}

	@Test
	void tellsThatLocksWorkAndHowTheyAreDoing() {
		Health idle = this.indicator.health();
		assertThat(idle.getStatus()).isEqualTo(Status.UP);
		assertThat(idle.getDetails()).containsEntry("instance", this.instance.id())
			.containsEntry("held", 0)
			.containsEntry("waiting", 0)
			.containsEntry("oldestHold", "none")
			.containsEntry("lastRenewal", "none");
		try (LockHandle handle = this.instance.template().acquire(LockRequest.of("k").lease(Duration.ofSeconds(6)))) {
			await().until(() -> this.instance.registry().status().lastRenewal() != null);
			Health busy = this.indicator.health();
			assertThat(busy.getStatus()).isEqualTo(Status.UP);
			assertThat(busy.getDetails()).containsEntry("held", 1);
			assertThat(Duration.parse((String) busy.getDetails().get("oldestHold"))).isPositive();
			assertThat(busy.getDetails().get("lastRenewal")).isNotEqualTo("none");
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	void waitingIsTheNumberThatTheGaugeShows() {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		new LockGauges(this.instance::registry).bindTo(meters);
		LockHandle lock = Threads.call(() -> this.instance.template().acquire("k"));
		CompletableFuture<LockHandle> waiter = this.instance.template().acquireAsync(LockRequest.of("k"));
		await().until(() -> this.instance.registry().operations().waiting().size() == 1);
		assertThat(this.indicator.health().getDetails()).containsEntry("waiting", 1).containsEntry("held", 1);
		assertThat(meters.get("holdfast.waiting").gauge().value()).isOne();
		assertThat(meters.get("holdfast.held").gauge().value()).isOne();
		this.redis.freeze();
		CompletableFuture<LockHandle> asking = this.instance.template().acquireAsync(LockRequest.of("other"));
		await().until(() -> this.instance.registry().status().acquiring() == 2);
		assertThat(this.instance.registry().status().waiting()).isOne();
		assertThat(meters.get("holdfast.waiting").gauge().value()).isOne();
		this.redis.unfreeze();
		assertThat(Threads.join(asking).isHeld()).isTrue();
		lock.releaseAsync();
		assertThat(Threads.join(waiter).isHeld()).isTrue();
	}

	@Test
	void isDownWithinThreeSecondsWhenRedisIsDead() {
		this.redis.kill();
		awaitDownInTime();
	}

	@Test
	void isDownWithinThreeSecondsWhenRedisHangs() {
		JedisConnectionFactory patient = Connections.patientJedis(this.redis.port());
		try (TestInstance slow = new TestInstance((id) -> new RedisLockStore(patient, "holdfast", Duration.ofHours(24),
				ReplicaAcks.NONE, RedisView::new))) {
			this.indicator = new LocksHealthIndicator(slow.registry());
			Set<Thread> others = Threads.named("holdfast-actuator");
			assertThat(this.indicator.health().getStatus()).isEqualTo(Status.UP);
			this.redis.freeze();
			awaitDownInTime();
			awaitDownInTime();
			assertThat(Threads.named("holdfast-actuator", others)).hasSize(1);
			this.redis.unfreeze();
			await().until(() -> this.indicator.health().getStatus().equals(Status.UP));
		}
		patient.destroy();
	}

	private void awaitDownInTime() {
		await().untilAsserted(this::assertDownInTime);
	}

	private void assertDownInTime() {
		long start = System.nanoTime();
		Health health = this.indicator.health();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsKeys("error", "held", "waiting", "wakeUps");
	}

}
