package io.holdfast.benchmarks;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;

import com.baomidou.lock.LockFailureStrategy;
import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockKeyBuilder;
import com.baomidou.lock.annotation.Lock4j;
import com.baomidou.lock.exception.LockException;
import com.baomidou.lock.executor.RedisTemplateLockExecutor;
import io.holdfast.DistributedLock;
import io.holdfast.LockAssert;
import io.holdfast.LockCallback;
import io.holdfast.LockHandle;
import io.holdfast.LockInterruptedException;
import io.holdfast.LockListener;
import io.holdfast.LockLostException;
import io.holdfast.LockMode;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.LockUpgradeException;
import io.holdfast.LockView;
import io.holdfast.OnFailure;
import io.holdfast.ReactiveLockTemplate;
import io.holdfast.ReleaseResult;
import io.holdfast.RunOnce;
import io.holdfast.integration.IntegrationLockRegistry;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.LockProviderToUse;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import net.javacrumbs.shedlock.support.KeepAliveLockProvider;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.redisson.RedissonRedLock;
import org.redisson.api.ObjectListener;
import org.redisson.api.RExpirable;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RLockReactive;
import org.redisson.api.RLockRx;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.AdviceMode;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.integration.util.CheckedCallable;
import org.springframework.integration.util.CheckedRunnable;
import org.springframework.scheduling.TaskScheduler;

/**
 * The calls in the tables of {@code docs/migration.md}. They are compiled, not run.
 */
@SuppressWarnings({ "unused", "deprecation" })
interface MigrationCalls {

	/**
	 * The left columns.
	 */
	interface FromRedisson {

		default void locks(RedissonClient redisson, RLock lock, long wait, long lease, TimeUnit unit, long id)
				throws InterruptedException {
			redisson.getLock("k");
			lock.lock();
			lock.lockInterruptibly();
			lock.tryLock();
			lock.tryLock(wait, unit);
			lock.unlock();
			lock.lock(lease, unit);
			lock.lockInterruptibly(lease, unit);
			lock.tryLock(wait, lease, unit);
			lock.lock(-1, unit);
			lock.tryLock(wait, -1, unit);
			lock.isLocked();
			lock.isHeldByCurrentThread();
			lock.getHoldCount();
			lock.isHeldByThread(id);
			lock.remainTimeToLive();
			lock.forceUnlock();
			lock.getName();
			lock.newCondition();
		}

		default void asynchronous(RLock lock, ObjectListener listener, int id) {
			lock.addListener(listener);
			lock.removeListener(id);
			lock.lockAsync();
			lock.tryLockAsync();
			lock.unlockAsync();
			lock.unlockAsync(id);
			lock.forceUnlockAsync();
			lock.isLockedAsync();
			lock.isHeldByThreadAsync(id);
			lock.getHoldCountAsync();
			lock.remainTimeToLiveAsync();
		}

		RExpirable expirable();

		RLockReactive reactive();

		RLockRx rx();

		default void otherLocks(RedissonClient redisson, Config config, RLock a, RLock b) {
			config.setLockWatchdogTimeout(30_000);
			redisson.getFairLock("k");
			RReadWriteLock readWriteLock = redisson.getReadWriteLock("k");
			readWriteLock.readLock();
			readWriteLock.writeLock();
			redisson.getMultiLock(a, b);
			new RedissonRedLock(a, b);
			RFencedLock fencedLock = redisson.getFencedLock("k");
			fencedLock.lockAndGetToken();
			fencedLock.tryLockAndGetToken();
			fencedLock.getToken();
			redisson.getSpinLock("k");
			redisson.getCountDownLatch("k");
		}

		default void semaphore(RedissonClient redisson, RSemaphore semaphore, long wait, TimeUnit unit,
				Duration waitFor, Duration ttl) throws InterruptedException {
			redisson.getSemaphore("s");
			semaphore.trySetPermits(3);
			semaphore.trySetPermits(3, ttl);
			semaphore.addPermits(1);
			semaphore.acquire();
			semaphore.acquire(2);
			semaphore.tryAcquire();
			semaphore.tryAcquire(2);
			semaphore.tryAcquire(wait, unit);
			semaphore.tryAcquire(waitFor);
			semaphore.release();
			semaphore.release(2);
			semaphore.releaseIfExists(2);
			semaphore.availablePermits();
			semaphore.drainPermits();
			semaphore.acquireAsync();
			semaphore.delete();
			semaphore.expire(ttl);
		}

		default void permits(RedissonClient redisson, RPermitExpirableSemaphore permits, long wait, long lease,
				TimeUnit unit, String id, List<String> ids) throws InterruptedException {
			redisson.getPermitExpirableSemaphore("s");
			permits.trySetPermits(3);
			permits.setPermits(3);
			permits.addPermits(1);
			permits.acquire();
			permits.acquire(lease, unit);
			permits.tryAcquire();
			permits.tryAcquire(2);
			permits.tryAcquire(wait, unit);
			permits.tryAcquire(wait, lease, unit);
			permits.release(id);
			permits.tryRelease(id);
			permits.release(ids);
			permits.tryRelease(ids);
			permits.updateLeaseTime(id, lease, unit);
			permits.getLeaseTime(id);
			permits.availablePermits();
			permits.acquiredPermits();
			permits.getPermits();
			permits.acquireAsync();
		}

	}

	/**
	 * The left column.
	 */
	interface FromSpringIntegration {

		default void registry(RedisConnectionFactory connections, RedisLockRegistry locks, Duration expireAfter,
				Duration ttl, Duration time, TaskScheduler scheduler, Executor executor, long age, String key) {
			new RedisLockRegistry(connections, "prefix");
			new RedisLockRegistry(connections, "prefix", expireAfter);
			locks.obtain(key);
			locks.setRenewalTaskScheduler(scheduler);
			locks.renewLock(key);
			locks.renewLock(key, ttl);
			locks.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
			locks.setRedisLockType(RedisLockType.SPIN_LOCK);
			locks.setIdleBetweenTries(time);
			locks.setCacheCapacity(100);
			locks.expireUnusedOlderThan(age);
			locks.setExecutor(executor);
			locks.destroy();
		}

		default void locks(org.springframework.integration.support.locks.DistributedLock lock, long time, TimeUnit unit,
				Duration waitFor, Duration ttl) throws InterruptedException {
			lock.lock();
			lock.lockInterruptibly();
			lock.tryLock();
			lock.tryLock(time, unit);
			lock.unlock();
			lock.lock(ttl);
			lock.tryLock(waitFor, ttl);
		}

		default void sections(org.springframework.integration.support.locks.LockRegistry<?> locks, String key,
				Duration waitFor, CheckedRunnable<RuntimeException> runnable,
				CheckedCallable<String, RuntimeException> callable) throws InterruptedException, TimeoutException {
			locks.executeLocked(key, runnable);
			locks.executeLocked(key, callable);
			locks.executeLocked(key, waitFor, runnable);
			locks.executeLocked(key, waitFor, callable);
		}

	}

	/**
	 * The left column.
	 */
	interface FromShedLock {

		@EnableSchedulerLock(defaultLockAtMostFor = "10m", defaultLockAtLeastFor = "50s",
				interceptMode = EnableSchedulerLock.InterceptMode.PROXY_METHOD, mode = AdviceMode.PROXY,
				proxyTargetClass = true, order = 0)
		class Application {

		}

		@SchedulerLock(name = "report")
		void named();

		@SchedulerLock(name = "report-#{#id}", lockAtMostFor = "10m", lockAtLeastFor = "50s")
		@LockProviderToUse("other")
		Optional<String> limited(String id);

		default void providers(RedisConnectionFactory connections, ExtensibleLockProvider provider,
				ScheduledExecutorService scheduler) {
			new RedisLockProvider(connections, "env");
			new RedisLockProvider.Builder(connections).safeUpdate(true);
			new KeepAliveLockProvider(provider, scheduler);
		}

		default void tasks(LockingTaskExecutor executor, LockProvider provider, SimpleLock simpleLock, Runnable task,
				LockConfiguration configuration, Duration atMost, Duration atLeast) {
			LockExtender.extendActiveLock(atMost, atLeast);
			net.javacrumbs.shedlock.core.LockAssert.assertLocked();
			executor.executeWithLock(task, configuration);
			provider.lock(configuration);
			simpleLock.extend(atMost, atLeast);
			simpleLock.unlock();
		}

	}

	/**
	 * The left column.
	 */
	interface FromLock4j {

		@Lock4j(name = "order", keys = "#id")
		void named(String id);

		@Lock4j(keys = { "#a", "#b" }, expire = 30000, acquireTimeout = 3000, autoRelease = false,
				failStrategy = Failure.class, keyBuilderStrategy = Keys.class,
				executor = RedisTemplateLockExecutor.class)
		void all(String a, String b);

		default void template(com.baomidou.lock.LockTemplate locks, String key, long expire, long timeout) {
			locks.lock(key);
			LockInfo info = locks.lock(key, expire, timeout);
			locks.lock(key, expire, timeout, RedisTemplateLockExecutor.class);
			info.getLockKey();
			info.getExpire();
			locks.releaseLock(info);
			throw new LockException();
		}

		abstract class Failure implements LockFailureStrategy {

			@Override
			public abstract void onLockFailure(String key, Method method, Object[] arguments);

		}

		abstract class Keys implements LockKeyBuilder {

			@Override
			public abstract String buildKey(MethodInvocation invocation, String[] definitionKeys);

		}

	}

	/**
	 * All right columns.
	 */
	interface ToHoldfast {

		default void views(LockRegistry registry, LockView lock, LockTemplate template, LockRequest request, String key,
				Duration waitFor, Duration lease) throws InterruptedException {
			registry.lock("k");
			registry.lock(key);
			lock.lock();
			lock.lockInterruptibly();
			lock.tryLock();
			lock.lock(lease);
			lock.tryLock(waitFor);
			lock.tryLock(waitFor, lease);
			lock.isLocked();
			lock.remainingLease();
			lock.keys();
			lock.extend(lease);
			lock.fencingToken();
			lock.unlock();
			registry.fairLock("k");
			registry.readWriteLock("k");
			registry.multiLock("a", "b");
			registry.isHeldByCurrentThread("k");
			registry.held();
			registry.forceRelease("k");
			registry.forceRelease("s");
			registry.lock("report").extend(lease);
			LockAssert.assertHeld("k");
			LockAssert.assertHeld("report");
		}

		default void requests(LockRequest request, Duration waitFor, Duration lease, Duration time) {
			LockRequest.of("a", "b");
			LockRequest.of("s");
			LockRequest.of("s").permits(3).ownedByHandle();
			request.lease(lease).autoRenew(false);
			request.fair();
			request.shared();
			request.ownedByHandle();
			request.minHold(time);
		}

		default void template(LockTemplate template, LockRequest request, String key, Duration waitFor, Duration lease,
				LockCallback<String, RuntimeException> action, Consumer<LockHandle> consumer,
				Function<LockHandle, CompletionStage<String>> task) {
			template.execute("k", action);
			template.execute(key, action);
			template.executeWithoutResult(key, consumer);
			template.execute(request.waitFor(waitFor), action);
			template.tryExecute(request, action);
			template.acquire(request.waitForever());
			template.acquire(request.lease(lease).autoRenew(false).waitForever());
			template.tryAcquire(request);
			template.tryAcquire(request.waitFor(waitFor));
			template.acquireAsync(request);
			template.executeAsync(request, task);
			template.forceRelease("k");
			try (LockHandle handle = template.acquire(key)) {
				handle.keys();
				handle.remainingLease();
				handle.extend(lease);
				handle.fencingToken();
				handle.releaseAsync();
			}
		}

		default void reactive(ReactiveLockTemplate reactive, LockRequest request,
				Function<LockHandle, Mono<String>> mono, Function<LockHandle, Flux<String>> flux) {
			reactive.execute(request, mono);
			reactive.executeMany(request, flux);
		}

		default boolean failures(LockHandle handle) {
			try {
				return handle.release() == ReleaseResult.LOST;
			}
			catch (LockNotAcquiredException | LockInterruptedException | LockUpgradeException | LockLostException
					| LockUnavailableException ex) {
				return false;
			}
			catch (IllegalMonitorStateException ex) {
				return true;
			}
		}

		@DistributedLock(key = "'k'")
		CompletableFuture<String> future();

		@DistributedLock(name = "order", key = "#id")
		Mono<String> named(String id);

		@DistributedLock(name = "report", waitFor = "0", onFailure = OnFailure.SKIP, onUnavailable = OnFailure.SKIP)
		@Nullable String skipped();

		@DistributedLock(name = "report", key = "#id", lease = "30s", waitFor = "3s", maxHold = "10m")
		Flux<String> keyed(String id);

		@DistributedLock(key = "'s'", permits = 3, minHold = "50s", waitFor = "-1")
		void permits();

		@DistributedLock(key = "'s'", permitsString = "${s.permits}")
		void permitsOfAProperty();

		@RunOnce(per = "1h")
		void once();

		@DistributedLock(key = "#a + '.' + #b", fair = true, minHold = "30s")
		Optional<String> joined(String a, String b);

		@DistributedLock(key = "#a + '-' + #b", fallback = "busy")
		void withFallback(String a, String b);

		@DistributedLock(key = "{#a, #b}", autoRenew = false)
		void several(String a, String b);

		@DistributedLock(key = "@keys.of(#order)", mode = LockMode.SHARED)
		void built(String order);

		default Boolean kept(StringRedisTemplate redis) {
			return redis.hasKey("holdfast:{k}") && redis.hasKey("holdfast:{k}:token");
		}

		LockListener listener();

		IntegrationLockRegistry integration();

	}

}
