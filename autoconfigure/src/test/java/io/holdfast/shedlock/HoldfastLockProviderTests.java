package io.holdfast.shedlock;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

import io.holdfast.LockUnavailableException;
import io.holdfast.engine.TestInstance;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.redis.ReplicaAcks;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Locks of ShedLock, on Redis.
 */
class HoldfastLockProviderTests {

	private static final Duration LONG = Duration.ofMinutes(1);

	private static final Duration SHORT = Duration.ofMillis(300);

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private final JedisConnectionFactory connections = Connections.jedis(redis.port());

	private final String prefix = UUID.randomUUID().toString();

	private final TestInstance instance = instance();

	private final TestInstance other = instance();

	private final HoldfastLockProvider provider = new HoldfastLockProvider(this.instance.registry(), false);

	private final HoldfastLockProvider renewing = new HoldfastLockProvider(this.instance.registry(), true);

	private final HoldfastLockProvider others = new HoldfastLockProvider(this.other.registry(), false);

	private TestInstance instance() {
		return new TestInstance(
				(id) -> new RedisLockStore(this.connections, this.prefix, Duration.ofHours(1), ReplicaAcks.NONE));
	}

	@AfterEach
	void close() {
		this.instance.close();
		this.other.close();
		this.connections.destroy();
	}

	private static LockConfiguration report(Duration atMost, Duration atLeast) {
		return new LockConfiguration(Instant.now(), "report", atMost, atLeast);
	}

	private static SimpleLock acquire(HoldfastLockProvider provider, Duration atMost, Duration atLeast) {
		return provider.lock(report(atMost, atLeast)).orElseThrow();
	}

	private boolean isFreeForOthers() {
		Optional<SimpleLock> lock = this.others.lock(report(LONG, Duration.ZERO));
		lock.ifPresent(SimpleLock::unlock);
		return lock.isPresent();
	}

	@Test
	void hasOneHolderAndAnyThreadUnlocks() {
		SimpleLock lock = acquire(this.provider, LONG, Duration.ZERO);
		assertThat(this.instance.registry().held()).singleElement().satisfies((held) -> {
			assertThat(held.keys()).containsExactly("shedlock:report");
			assertThat(held.name()).isEqualTo("shedlock");
			assertThat(held.remainingLease()).isLessThanOrEqualTo(LONG);
		});
		assertThat(isFreeForOthers()).isFalse();
		assertThat(this.provider.lock(report(LONG, Duration.ZERO))).as("not reentrant").isEmpty();
		assertThat(Threads.<Boolean>call(() -> {
			lock.unlock();
			return isFreeForOthers();
		})).isTrue();
		assertThatIllegalStateException().isThrownBy(lock::unlock);
	}

	@Test
	void lockAtMostForIsAHardLimitUnlessRenewed() {
		SimpleLock lock = acquire(this.provider, SHORT, Duration.ZERO);
		await().until(this::isFreeForOthers);
		assertThat(lock.extend(LONG, Duration.ZERO)).isEmpty();
		assertThat(this.instance.renewed()).isZero();
		SimpleLock renewed = acquire(this.renewing, SHORT, Duration.ZERO);
		await().until(() -> this.instance.renewed() > 4);
		assertThat(isFreeForOthers()).isFalse();
		renewed.unlock();
		assertThat(isFreeForOthers()).isTrue();
	}

	@Test
	void unlockOfALostLockDoesNotHideTheEndOfTheTask() {
		SimpleLock lock = acquire(this.provider, SHORT, Duration.ZERO);
		await().until(() -> this.instance.registry().held().isEmpty());
		lock.unlock();
		assertThat(isFreeForOthers()).isTrue();
	}

	@Test
	void lockAtLeastForKeepsWhatIsUnlocked() {
		Duration atLeast = Duration.ofSeconds(1);
		long start = System.nanoTime();
		acquire(this.provider, LONG, atLeast).unlock();
		assertThat(this.instance.registry().held()).isEmpty();
		assertThat(this.provider.lock(report(LONG, Duration.ZERO))).as("not for this instance").isEmpty();
		await().until(this::isFreeForOthers);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(atLeast, LONG.dividedBy(2));
	}

	@Test
	void extendsTheLeaseWithANewLock() {
		SimpleLock lock = acquire(this.provider, LONG, SHORT);
		SimpleLock extended = lock.extend(LONG.multipliedBy(3), Duration.ZERO).orElseThrow();
		assertThat(this.instance.registry().held().iterator().next().remainingLease()).isGreaterThan(LONG);
		assertThatIllegalStateException().isThrownBy(lock::unlock);
		assertThat(isFreeForOthers()).isFalse();
		extended.extend(LONG, SHORT).orElseThrow().unlock();
		await().until(this::isFreeForOthers);
	}

	@Test
	void extensionCannotProlongLockAtLeastFor() {
		SimpleLock lock = acquire(this.provider, LONG, SHORT);
		assertThatIllegalArgumentException().isThrownBy(() -> lock.extend(LONG, Duration.ofSeconds(1)))
			.withMessageContaining("lockAtLeastFor");
	}

	@Test
	void failsWithoutRedis() {
		acquire(this.provider, LONG, Duration.ZERO).unlock();
		redis.kill();
		try {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.provider.lock(report(LONG, Duration.ZERO)));
		}
		finally {
			redis.start();
		}
	}

}
