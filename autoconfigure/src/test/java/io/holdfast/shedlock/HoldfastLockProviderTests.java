package io.holdfast.shedlock;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import io.holdfast.LockUnavailableException;
import io.holdfast.redis.AbstractTwoInstancesTests;
import io.holdfast.test.Threads;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockingTaskExecutor.TaskWithResult;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Locks of ShedLock, on Redis.
 */
class HoldfastLockProviderTests extends AbstractTwoInstancesTests {

	private static final Duration LONG = Duration.ofMinutes(1);

	private static final Duration SHORT = Duration.ofMillis(300);

	/**
	 * After a third of it, it is renewed; what is left then is longer than a busy machine
	 * may stand still.
	 */
	private static final Duration PATIENT = Duration.ofSeconds(6);

	private final HoldfastLockProvider provider = new HoldfastLockProvider(this.instance.registry(), false);

	private final HoldfastLockProvider renewing = new HoldfastLockProvider(this.instance.registry(), true);

	private final HoldfastLockProvider others = new HoldfastLockProvider(this.other.registry(), false);

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
		SimpleLock renewed = acquire(this.renewing, PATIENT, Duration.ZERO);
		long start = System.nanoTime();
		await().until(() -> sinceThen(start).plus(remainingLease()).compareTo(PATIENT) > 0);
		assertThat(this.instance.renewed()).isPositive();
		assertThat(isFreeForOthers()).isFalse();
		renewed.unlock();
		assertThat(isFreeForOthers()).isTrue();
	}

	private static Duration sinceThen(long start) {
		return Duration.ofNanos(System.nanoTime() - start);
	}

	private Duration remainingLease() {
		return this.instance.registry().held().iterator().next().remainingLease();
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
		long start = System.nanoTime();
		acquire(this.provider, LONG, SHORT).unlock();
		await().until(this::isFreeForOthers);
		assertThat(sinceThen(start)).isBetween(SHORT, LONG.dividedBy(2));
		acquire(this.provider, LONG, LONG).unlock();
		assertThat(this.instance.registry().held()).isEmpty();
		assertThat(this.provider.lock(report(LONG, Duration.ZERO))).as("not for this instance").isEmpty();
		assertThat(isFreeForOthers()).isFalse();
	}

	@Test
	void extendsTheLeaseWithANewLock() {
		SimpleLock lock = acquire(this.provider, LONG, SHORT);
		SimpleLock extended = lock.extend(LONG.multipliedBy(3), Duration.ZERO).orElseThrow();
		assertThat(remainingLease()).isGreaterThan(LONG);
		assertThatIllegalStateException().isThrownBy(lock::unlock);
		assertThat(isFreeForOthers()).isFalse();
		extended.extend(LONG, SHORT).orElseThrow().unlock();
		await().until(this::isFreeForOthers);
	}

	@Test
	void lockAtLeastForOfAnExtensionCountsFromThen() {
		long start = System.nanoTime();
		SimpleLock lock = acquire(this.provider, LONG, LONG);
		await().until(() -> sinceThen(start).compareTo(SHORT) > 0);
		long extended = System.nanoTime();
		lock.extend(LONG, LONG).orElseThrow().unlock();
		try (Jedis jedis = redis.connect()) {
			Duration left = Duration.ofMillis(jedis.pttl(this.prefix + ":{shedlock:report}"));
			assertThat(left.plus(sinceThen(extended))).isGreaterThanOrEqualTo(LONG.minus(SHORT.dividedBy(2)));
			assertThat(isFreeForOthers()).isFalse();
			jedis.flushAll();
		}
		acquire(this.provider, LONG, LONG).extend(LONG, Duration.ZERO).orElseThrow().unlock();
		assertThat(isFreeForOthers()).isTrue();
	}

	@Test
	void lockAtMostForIsAtLeastTheShortestLease() {
		// The answer may take longer than the shortest lease
		SimpleLock lock = await().ignoreException(LockUnavailableException.class)
			.until(() -> this.provider.lock(report(Duration.ZERO, Duration.ZERO)), Optional::isPresent)
			.orElseThrow();
		assertThat(lock.extend(LONG, Duration.ZERO)).satisfiesAnyOf((extended) -> assertThat(extended).isEmpty(),
				(extended) -> extended.orElseThrow().unlock());
		await().until(this::isFreeForOthers);
		acquire(this.provider, LONG, Duration.ZERO).extend(Duration.ofMillis(1), Duration.ZERO).orElseThrow().unlock();
		assertThat(isFreeForOthers()).isTrue();
	}

	@Test
	void taskReadsItsFencingTokenOnItsThread() throws Throwable {
		DefaultLockingTaskExecutor executor = new DefaultLockingTaskExecutor(this.provider);
		TaskWithResult<Long> task = () -> this.provider.fencingToken("report");
		Long first = executor.executeWithLock(task, report(LONG, Duration.ZERO)).getResult();
		assertThat(executor.executeWithLock(task, report(LONG, Duration.ZERO)).getResult()).isGreaterThan(first);
		assertThatExceptionOfType(IllegalMonitorStateException.class)
			.isThrownBy(() -> this.provider.fencingToken("report"))
			.withMessageContaining("'report'");
		acquire(this.provider, LONG, Duration.ZERO);
		assertThatExceptionOfType(IllegalMonitorStateException.class)
			.isThrownBy(() -> Threads.<Long>call(() -> this.provider.fencingToken("report")));
	}

	@Test
	void tokenIsForTheThreadOfTheTaskWhateverItsNameAndWhoeverExtendsTheLock() {
		SimpleLock lock = acquire(this.provider, LONG, Duration.ZERO);
		long token = this.provider.fencingToken("report");
		SimpleLock extended = Threads.call(() -> lock.extend(LONG, Duration.ZERO)).orElseThrow();
		assertThat(this.provider.fencingToken("report")).isEqualTo(token);
		String name = Thread.currentThread().getName();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> Threads.<Long>call(() -> {
			Thread.currentThread().setName(name);
			return this.provider.fencingToken("report");
		}));
		extended.unlock();
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
