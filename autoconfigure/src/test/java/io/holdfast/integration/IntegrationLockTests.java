package io.holdfast.integration;

import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.holdfast.LockLostException;
import io.holdfast.LockMode;
import io.holdfast.redis.AbstractTwoInstancesTests;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

import org.springframework.integration.util.CheckedCallable;
import org.springframework.integration.util.CheckedRunnable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Locks of Spring Integration's registry, on Redis.
 */
class IntegrationLockTests extends AbstractTwoInstancesTests {

	private static final Duration LEASE = Duration.ofMinutes(2);

	private static final Duration SHORT = Duration.ofMillis(300);

	private final IntegrationLockRegistry registry = new IntegrationLockRegistry(this.instance.registry(), LEASE);

	private final IntegrationLockRegistry others = new IntegrationLockRegistry(this.other.registry(), LEASE);

	@Test
	void keyIsTheLockOfItsNameInAllInstances() throws Exception {
		this.registry.obtain("k").lockInterruptibly();
		assertThat(this.instance.registry().held()).singleElement().satisfies((lock) -> {
			assertThat(lock.keys()).containsExactly("integration:k");
			assertThat(lock.name()).isEqualTo("integration");
			assertThat(lock.mode()).isEqualTo(LockMode.EXCLUSIVE);
		});
		assertThat(this.others.obtain("k").tryLock()).isFalse();
		assertThat(this.others.obtain("k").tryLock(10, TimeUnit.MILLISECONDS)).isFalse();
		assertThat(this.others.obtain("other").tryLock()).isTrue();
		this.registry.obtain("k").unlock();
		assertThat(this.others.obtain("k").tryLock()).isTrue();
	}

	@Test
	void locksOfOneKeyAreEqual() {
		IntegrationLock lock = this.registry.obtain("k");
		assertThat(lock).isEqualTo(this.registry.obtain("k"))
			.hasSameHashCodeAs(this.registry.obtain("k"))
			.isNotEqualTo(this.registry.obtain("other"))
			.isNotEqualTo(this.others.obtain("k"))
			.isNotEqualTo(this.instance.registry().lock("integration:k"));
	}

	@Test
	void runsWhatIsLocked() throws Exception {
		CheckedCallable<Integer, RuntimeException> callable = () -> this.instance.registry().held().size();
		CheckedRunnable<RuntimeException> runnable = () -> assertThat(callable.call()).isOne();
		this.registry.executeLocked("k", runnable);
		this.registry.executeLocked("k", LEASE, runnable);
		assertThat(this.registry.executeLocked("k", callable)).isOne();
		assertThat(this.registry.executeLocked("k", LEASE, callable)).isOne();
		assertThat(callable.call()).isZero();
		this.others.obtain("k").lock();
		assertThatExceptionOfType(TimeoutException.class)
			.isThrownBy(() -> this.registry.executeLocked("k", Duration.ofMillis(10), callable))
			.withMessageContaining("'k'");
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> this.registry.executeLocked("k", callable));
	}

	@Test
	void lossDoesNotHideTheExceptionOfWhatIsLocked() {
		IOException failure = new IOException("failed");
		CheckedRunnable<IOException> failing = () -> {
			loseAllLocks();
			throw failure;
		};
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.registry.executeLocked("k", failing))
			.isSameAs(failure);
		assertThat(failure.getSuppressed()).singleElement().isInstanceOf(IllegalMonitorStateException.class);
		CheckedRunnable<IOException> losing = this::loseAllLocks;
		assertThatExceptionOfType(IllegalMonitorStateException.class)
			.isThrownBy(() -> this.registry.executeLocked("k", LEASE, losing))
			.withMessageContaining("was lost");
	}

	@Test
	void timeToLiveIsAHardLimit() throws Exception {
		IntegrationLock lock = this.registry.obtain("k");
		lock.lock(SHORT);
		assertThat(this.others.obtain("k").tryLock(Duration.ofMinutes(1), SHORT)).isTrue();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock)
			.withMessageContaining("was lost");
		assertThat(lock.tryLock(Duration.ofMinutes(1), LEASE)).isTrue();
		assertThat(this.others.obtain("free").tryLock(Duration.ofSeconds(-1), SHORT)).isTrue();
	}

	@Test
	void renewsToTheLeaseOrTheGivenTime() {
		this.registry.obtain("k").lock(Duration.ofSeconds(30));
		this.registry.renewLock("k");
		assertThat(remainingLease()).isBetween(Duration.ofSeconds(100), LEASE);
		this.registry.renewLock("k", Duration.ofMinutes(10));
		assertThat(remainingLease()).isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10));
	}

	private Duration remainingLease() {
		return this.instance.registry().held().iterator().next().remainingLease();
	}

	@Test
	void renewsOnlyWhatTheThreadHolds() {
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> this.registry.renewLock("k"));
		this.registry.obtain("k").lock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> Threads.call(() -> renewed()));
		loseAllLocks();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> this.registry.renewLock("k"))
			.withMessageContaining("'k'");
	}

	private boolean renewed() {
		this.registry.renewLock("k");
		return true;
	}

	private void loseAllLocks() {
		try (Jedis jedis = redis.connect()) {
			jedis.flushAll();
		}
	}

	@Test
	void lostLockIsNotAcquiredAgainBeforeItIsUnlocked() throws Exception {
		IntegrationLock lock = this.registry.obtain("k");
		lock.lock();
		loseAllLocks();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::lock);
		assertThat(this.others.obtain("k").tryLock(1, TimeUnit.MINUTES)).isTrue();
		this.others.obtain("k").unlock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
		assertThat(lock.tryLock()).isTrue();
	}

	@Test
	void nestedLockDoesNotWaitForOthersAfterALossThatIsNotKnownYet() {
		Threads.<Boolean>call(() -> {
			IntegrationLock lock = this.registry.obtain("k");
			lock.lock();
			loseAllLocks();
			assertThat(this.others.obtain("k").tryLock()).isTrue();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::lock);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::lockInterruptibly);
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
			assertThat(lock.tryLock()).isFalse();
			return true;
		});
	}

	@Test
	void tokenIsThatOfTheThreadAndGrows() {
		IntegrationLock lock = this.registry.obtain("k");
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::fencingToken);
		lock.lock();
		long token = lock.fencingToken();
		assertThat(this.instance.registry().held().iterator().next().fencingToken()).isEqualTo(token);
		assertThatExceptionOfType(IllegalMonitorStateException.class)
			.isThrownBy(() -> Threads.call(lock::fencingToken));
		assertThatExceptionOfType(IllegalMonitorStateException.class)
			.isThrownBy(() -> this.others.obtain("k").fencingToken());
		lock.unlock();
		this.others.obtain("k").lock();
		assertThat(this.others.obtain("k").fencingToken()).isGreaterThan(token);
	}

	@Test
	void keysAreValuesWithTheSameTextEverywhere() {
		UUID id = UUID.fromString("2a2d2c5e-0d0f-4d5c-8a68-0c3b3f5f7a11");
		for (Object key : List.of("text", 42L, id, LockMode.SHARED, true, 'c', new StringBuilder("built"))) {
			this.registry.obtain(key).lock();
		}
		assertThat(this.instance.registry().held()).flatExtracting((lock) -> lock.keys())
			.containsExactlyInAnyOrder("integration:text", "integration:42", "integration:" + id, "integration:SHARED",
					"integration:true", "integration:c", "integration:built");
		for (Object key : List.of(new Object(), new Date(0), new File("k"), Locale.ROOT)) {
			assertThatIllegalArgumentException().isThrownBy(() -> this.registry.obtain(key))
				.withMessageContaining(key.getClass().getName());
		}
	}

	@Test
	void hasNoConditions() {
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> this.registry.obtain("k").newCondition());
	}

}
