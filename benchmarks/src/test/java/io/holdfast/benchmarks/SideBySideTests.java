package io.holdfast.benchmarks;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.exception.LockException;
import io.holdfast.LockHandle;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockUpgradeException;
import io.holdfast.LockView;
import io.holdfast.ReadWriteLockView;
import io.holdfast.ReleaseResult;
import io.holdfast.integration.IntegrationLockRegistry;
import io.holdfast.shedlock.HoldfastLockProvider;
import io.holdfast.test.RedisProcess;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * What {@code docs/migration.md} says of the other libraries and of Holdfast: all of them
 * in one application.
 */
class SideBySideTests {

	private static final Duration SHORT = Duration.ofMillis(200);

	private static final RedisProcess redis = new RedisProcess();

	private static ConfigurableApplicationContext application;

	private static RedissonClient redisson;

	private static RedisLockRegistry integration;

	private static com.baomidou.lock.LockTemplate lock4j;

	private static StringRedisTemplate keys;

	private static LockRegistry holdfast;

	@BeforeAll
	static void start() {
		redis.start();
		application = new SpringApplicationBuilder(OtherLockLibrariesTests.Application.class)
			.web(WebApplicationType.NONE)
			.properties("spring.data.redis.port=" + redis.port(), "spring.main.banner-mode=off")
			.run();
		redisson = application.getBean(RedissonClient.class);
		integration = application.getBean(RedisLockRegistry.class);
		lock4j = application.getBean(com.baomidou.lock.LockTemplate.class);
		keys = application.getBean(StringRedisTemplate.class);
		holdfast = application.getBean(LockRegistry.class);
	}

	@AfterAll
	static void stop() {
		application.close();
		redis.close();
	}

	@Test
	void leaseIsALimitAndTheUnlockAfterItFails() {
		RLock there = redisson.getLock("lease");
		there.lock(SHORT.toMillis(), TimeUnit.MILLISECONDS);
		DistributedLock ofIntegration = integration.obtain("lease");
		ofIntegration.lock(SHORT);
		LockInfo ofLock4j = lock4j.lock("lease:lock4j", SHORT.toMillis(), 0);
		LockView here = holdfast.lock("lease");
		here.lock(SHORT);
		await().until(() -> !there.isLocked() && !here.isLocked() && !keys.hasKey("theirs:lease")
				&& !keys.hasKey("lease:lock4j"));
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(there::unlock);
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(ofIntegration::unlock);
		assertThat(lock4j.releaseLock(ofLock4j)).isFalse();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(here::unlock);
	}

	@Test
	void shedLockDeletesTheLockOfTheNextHolder() {
		LockProvider there = new RedisLockProvider(application.getBean(RedisConnectionFactory.class));
		SimpleLock late = there.lock(task(SHORT)).orElseThrow();
		await().until(() -> there.lock(task(Duration.ofMinutes(1))), Optional::isPresent);
		late.unlock();
		there.lock(task(Duration.ofMinutes(1))).orElseThrow().unlock();
	}

	@Test
	void taskLockThatCannotBeExtendedThereIsUnlockedHere() {
		LockProvider there = new RedisLockProvider(application.getBean(RedisConnectionFactory.class));
		LockProvider here = new HoldfastLockProvider(holdfast, true);
		SimpleLock both = BothTaskLocks.provider(there, here).lock(task(Duration.ofMinutes(1))).orElseThrow();
		assertThat(keys.delete("job-lock:default:task")).isTrue();
		assertThat(both.extend(Duration.ofMinutes(2), Duration.ZERO)).isEmpty();
		assertThat(here.lock(task(Duration.ofMinutes(1)))).isEmpty();
		assertThatIllegalStateException().isThrownBy(both::unlock);
		here.lock(task(Duration.ofMinutes(1))).orElseThrow().unlock();
	}

	private static LockConfiguration task(Duration lockAtMostFor) {
		return new LockConfiguration(ClockProvider.now(), "task", lockAtMostFor, Duration.ZERO);
	}

	@Test
	void tryLockWithALeaseWaitsForAHolder() throws Exception {
		RLock there = redisson.getLock("busy");
		DistributedLock ofIntegration = integration.obtain("busy");
		LockView here = holdfast.lock("busy");
		there.lock();
		ofIntegration.lock();
		here.lock();
		assertThat(onAnotherThread(() -> there.tryLock(50, 1000, TimeUnit.MILLISECONDS))).isFalse();
		assertThat(onAnotherThread(() -> ofIntegration.tryLock(Duration.ofMillis(50), Duration.ofSeconds(1))))
			.isFalse();
		assertThat(onAnotherThread(() -> here.tryLock(Duration.ofMillis(50), Duration.ofSeconds(1)))).isFalse();
		assertThat(onAnotherThread(() -> there.isLocked() && here.isLocked())).isTrue();
		assertThat(onAnotherThread(() -> there.isHeldByCurrentThread() || here.isHeldByCurrentThread())).isFalse();
		there.unlock();
		ofIntegration.unlock();
		here.unlock();
		assertThat(there.isLocked() || here.isLocked()).isFalse();
	}

	@Test
	void lockIsReleasedByForce() {
		RLock there = redisson.getLock("force");
		LockView here = holdfast.lock("force");
		there.lock();
		here.lock();
		assertThat(there.forceUnlock()).isTrue();
		assertThat(holdfast.forceRelease("force")).isTrue();
		assertThat(there.isLocked() || here.isLocked()).isFalse();
		assertThat(there.forceUnlock() || holdfast.forceRelease("force")).isFalse();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(there::unlock);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(here::unlock);
	}

	@Test
	void nestedLeaseShortensTheOuterOneThereAndNotHere() {
		Duration shorter = Duration.ofSeconds(15);
		RLock there = redisson.getLock("nested");
		there.lock();
		there.lock(shorter.toMillis(), TimeUnit.MILLISECONDS);
		assertThat(there.remainTimeToLive()).isPositive().isLessThanOrEqualTo(shorter.toMillis());
		there.unlock();
		there.unlock();
		DistributedLock ofIntegration = integration.obtain("nested");
		ofIntegration.lock();
		ofIntegration.lock(shorter);
		assertThat(keys.getExpire("theirs:nested")).isPositive().isLessThanOrEqualTo(shorter.toSeconds());
		ofIntegration.unlock();
		ofIntegration.unlock();
		LockView here = holdfast.lock("nested");
		here.lock();
		here.lock(shorter);
		assertThat(here.remainingLease()).isGreaterThan(shorter);
		here.unlock();
		here.unlock();
	}

	@Test
	void lock4jIsNotReentrant() {
		LockInfo outer = lock4j.lock("reentrant", 60_000, 0);
		assertThat(lock4j.lock("reentrant", 60_000, 0)).isNull();
		lock4j.releaseLock(outer);
	}

	@Test
	void readerDoesNotBecomeTheWriter() throws Exception {
		RReadWriteLock there = redisson.getReadWriteLock("upgrade");
		ReadWriteLockView here = holdfast.readWriteLock("upgrade");
		there.readLock().lock();
		here.readLock().lock();
		assertThat(there.writeLock().tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
		assertThat(here.writeLock().tryLock(1, TimeUnit.HOURS)).isFalse();
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(here.writeLock()::lock);
		there.readLock().unlock();
		here.readLock().unlock();
		there.writeLock().lock();
		here.writeLock().lock();
		there.readLock().lock();
		here.readLock().lock();
		there.writeLock().unlock();
		here.writeLock().unlock();
		assertThat(there.readLock().isHeldByCurrentThread() && here.readLock().isHeldByCurrentThread()).isTrue();
		there.readLock().unlock();
		here.readLock().unlock();
	}

	@Test
	void permitsAreLimited() {
		RSemaphore there = redisson.getSemaphore("semaphore");
		there.trySetPermits(2);
		assertThat(there.tryAcquire() && there.tryAcquire()).isTrue();
		assertThat(there.tryAcquire()).isFalse();
		there.release();
		assertThat(there.tryAcquire()).isTrue();
		there.release(2);
		LockRequest here = LockRequest.of("semaphore").permits(2).ownedByHandle();
		LockHandle one = holdfast.tryAcquire(here).orElseThrow();
		LockHandle two = holdfast.tryAcquire(here).orElseThrow();
		assertThat(holdfast.tryAcquire(here)).isEmpty();
		assertThat(holdfast.tryAcquire(LockRequest.of("semaphore"))).isEmpty();
		one.release();
		LockHandle three = holdfast.tryAcquire(here).orElseThrow();
		two.release();
		three.release();
		LockHandle drained = holdfast.tryAcquire(LockRequest.of("semaphore")).orElseThrow();
		assertThat(holdfast.tryAcquire(here)).isEmpty();
		drained.release();
	}

	@Test
	void permitsExpireUnlessTheirLeaseIsUpdated() throws Exception {
		RPermitExpirableSemaphore there = redisson.getPermitExpirableSemaphore("expirable");
		there.trySetPermits(2);
		String longer = there.tryAcquire(0, 30_000, TimeUnit.MILLISECONDS);
		String shorter = there.tryAcquire(0, SHORT.toMillis(), TimeUnit.MILLISECONDS);
		assertThat(there.updateLeaseTime(longer, 60, TimeUnit.SECONDS)).isTrue();
		LockRequest request = LockRequest.of("expirable").permits(2).autoRenew(false).ownedByHandle();
		LockHandle extended = holdfast.tryAcquire(request.lease(Duration.ofSeconds(30))).orElseThrow();
		assertThat(extended.extend(Duration.ofMinutes(1)) && extended.extend(SHORT)).isTrue();
		LockHandle expired = holdfast.tryAcquire(request.lease(SHORT)).orElseThrow();
		await().until(() -> there.availablePermits() == 1 && !expired.isHeld());
		assertThat(there.tryRelease(shorter)).isFalse();
		assertThat(expired.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(there.tryRelease(longer)).isTrue();
		assertThat(extended.remainingLease()).isGreaterThan(Duration.ofSeconds(30));
		assertThat(extended.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void interruptedThreadKeepsOnlyItsInterruptHere() throws Exception {
		LockView here = holdfast.lock("interrupt");
		LockInfo ofLock4j = lock4j.lock("interrupt:lock4j", 60_000, 0);
		here.lock();
		assertThat(failure(interrupted(() -> lock4j.lock("interrupt:lock4j", 60_000, 60_000))))
			.isInstanceOf(LockException.class)
			.hasNoCause();
		assertThat(failure(interrupted(() -> here.tryLock(1, TimeUnit.HOURS))))
			.isInstanceOf(InterruptedException.class);
		FutureTask<Boolean> waiting = interrupted(() -> {
			here.lock();
			here.unlock();
			return Thread.interrupted();
		});
		await().until(here::hasQueuedThreads);
		here.unlock();
		assertThat(waiting.get(1, TimeUnit.MINUTES)).isTrue();
		lock4j.releaseLock(ofLock4j);
	}

	private static FutureTask<Boolean> interrupted(Callable<?> call) {
		FutureTask<Boolean> task = new FutureTask<>(() -> {
			Thread.currentThread().interrupt();
			return Boolean.TRUE.equals(call.call());
		});
		new Thread(task).start();
		return task;
	}

	private static Throwable failure(FutureTask<?> task) {
		return CompletableFuture.supplyAsync(() -> {
			try {
				task.get(1, TimeUnit.MINUTES);
				return new AssertionError("No exception");
			}
			catch (ExecutionException ex) {
				return ex.getCause();
			}
			catch (Exception ex) {
				return ex;
			}
		}).join();
	}

	@Test
	void leadersOfNextReleasesFollowEachOther() {
		IntegrationLockRegistry registry = new IntegrationLockRegistry(holdfast, Duration.ofSeconds(30));
		RedisLockRegistry ofOtherInstance = new RedisLockRegistry(application.getBean(RedisConnectionFactory.class),
				"theirs");
		LockRegistryLeaderInitiator before = leader(integration);
		LockRegistryLeaderInitiator between = leader(BothLocks.registry(ofOtherInstance, registry));
		LockRegistryLeaderInitiator after = leader(registry);
		before.start();
		await().until(() -> before.getContext().isLeader());
		between.start();
		before.stop();
		await().until(() -> between.getContext().isLeader());
		after.start();
		await().until(holdfast.lock("integration:leader")::hasQueuedThreads);
		assertThat(after.getContext().isLeader()).isFalse();
		between.stop();
		await().until(() -> after.getContext().isLeader());
		assertThat(between.getContext().isLeader()).isFalse();
		after.stop();
		ofOtherInstance.destroy();
	}

	private static LockRegistryLeaderInitiator leader(
			org.springframework.integration.support.locks.LockRegistry<?> registry) {
		LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(registry,
				new DefaultCandidate("instance", "leader"));
		initiator.setApplicationEventPublisher(application);
		return initiator;
	}

	private static boolean onAnotherThread(Callable<Boolean> call) throws Exception {
		FutureTask<Boolean> task = new FutureTask<>(call);
		new Thread(task).start();
		return task.get(1, TimeUnit.MINUTES);
	}

}
