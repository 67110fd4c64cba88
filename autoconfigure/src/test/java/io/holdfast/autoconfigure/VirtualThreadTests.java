package io.holdfast.autoconfigure;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.LockStoreException;
import io.holdfast.test.PinnedThreads;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.core.task.AsyncTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An application that works on virtual threads. From JDK 24 on, those do not keep their
 * carriers when they wait in a monitor.
 */
@EnabledForJreRange(min = JRE.JAVA_25)
class VirtualThreadTests {

	private static final int CALLERS = 10_000;

	private static final int KEYS = 100;

	private static final int FIRST_CALLERS = 1000;

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class, DataRedisAutoConfiguration.class,
				HoldfastAutoConfiguration.class))
		.withPropertyValues("spring.threads.virtual.enabled=true", "spring.data.redis.client-type=jedis",
				"spring.data.redis.port=" + redis.port(), "spring.data.redis.timeout=20s", "holdfast.wait-for=30s");

	@TempDir
	private Path directory;

	/**
	 * The first callers load classes, for which their carriers are kept.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "redis", "local" })
	void eachOfTenThousandGetsItsLockOnceAndKeepsNoCarrier(String store) {
		this.contextRunner.withPropertyValues("holdfast.store=" + store).run((context) -> {
			callersThatWaited(context, FIRST_CALLERS);
			try (PinnedThreads pinned = new PinnedThreads(this.directory.resolve("pinned.jfr"))) {
				assertThat(callersThatWaited(context, CALLERS)).hasSize(CALLERS);
				assertThat(pinned.found()).isEmpty();
			}
		});
	}

	/**
	 * Have callers wait for a few keys, all of them, and then let them go.
	 * @return the owners that had a lock
	 */
	private static Set<String> callersThatWaited(ApplicationContext context, int count) {
		HoldfastLockRegistry registry = context.getBean(HoldfastLockRegistry.class);
		List<GuardedKey> keys = new ArrayList<>();
		for (int i = 0; i < KEYS; i++) {
			keys.add(new GuardedKey("k" + i, context.getBean(LockTemplate.class)));
		}
		List<LockHandle> before = keys.stream().map(GuardedKey::acquire).toList();
		AsyncTaskExecutor executor = context.getBean(AsyncTaskExecutor.class);
		List<CompletableFuture<?>> callers = new ArrayList<>();
		Set<String> owners = ConcurrentHashMap.newKeySet();
		for (int i = 0; i < count; i++) {
			GuardedKey key = keys.get(i % KEYS);
			callers.add(executor.submitCompletable(() -> owners.add(key.enter())));
		}
		await().atMost(Duration.ofMinutes(1)).until(() -> registry.status().waiting() == count);
		before.forEach(LockHandle::release);
		callers.forEach(Threads::join);
		assertThat(keys).extracting(GuardedKey::entered).containsOnly(count / KEYS);
		assertThat(registry.held()).isEmpty();
		return owners;
	}

	/**
	 * With Jedis, that closes the socket that it reads from. It is no failure of Redis.
	 */
	@Test
	void interruptOfOneThatAsksIsNoFailureOfRedis() {
		this.contextRunner.run((context) -> {
			HoldfastLockRegistry registry = context.getBean(HoldfastLockRegistry.class);
			AsyncTaskExecutor executor = context.getBean(AsyncTaskExecutor.class);
			assertThat(registry.check().failure()).isNull();
			redis.freeze();
			try {
				CompletableFuture<Thread> asks = new CompletableFuture<>();
				CompletableFuture<LockStoreException> failure = executor.submitCompletable(() -> {
					asks.complete(Thread.currentThread());
					return registry.check().failure();
				});
				Thread asking = asks.join();
				await().until(() -> Stream.of(asking.getStackTrace())
					.anyMatch((frame) -> frame.getMethodName().equals("ensureFill")));
				asking.interrupt();
				assertThat(Threads.join(failure)).hasMessageContaining("interrupted")
					.hasRootCauseInstanceOf(InterruptedException.class);
			}
			finally {
				redis.unfreeze();
			}
		});
	}

	@Test
	void oneThatIsPinnedWouldBeSeen() {
		this.contextRunner.run((context) -> {
			try (PinnedThreads pinned = new PinnedThreads(this.directory.resolve("pinned.jfr"))) {
				Threads.join(context.getBean(AsyncTaskExecutor.class).submitCompletable(() -> SleepsWhenLoaded.DONE));
				assertThat(pinned.found()).isNotEmpty();
			}
		});
	}

	/**
	 * A key of which it is seen who is in its section.
	 */
	private static final class GuardedKey {

		private final String key;

		private final LockTemplate template;

		private int inside;

		private int entered;

		private long token;

		GuardedKey(String key, LockTemplate template) {
			this.key = key;
			this.template = template;
		}

		LockHandle acquire() {
			return this.template.acquire(LockRequest.of(this.key).waitFor(Duration.ofMinutes(1)));
		}

		/**
		 * Go through the section once, another time inside of it, on a virtual thread.
		 * @return who the owner was
		 */
		String enter() {
			assertThat(Thread.currentThread().toString()).startsWith("VirtualThread");
			try (LockHandle handle = acquire()) {
				this.inside++;
				assertThat(handle.fencingToken()).isGreaterThan(this.token);
				this.token = handle.fencingToken();
				Thread.yield();
				try (LockHandle again = acquire()) {
					assertThat(again.fencingToken()).isEqualTo(this.token);
					assertThat(again.holdCount()).isEqualTo(2);
				}
				assertThat(this.inside).isOne();
				this.inside--;
				this.entered++;
				return handle.toString().replaceAll(".*owner=", "");
			}
		}

		int entered() {
			return this.entered;
		}

	}

	/**
	 * The Java virtual machine itself is on the stack of a thread that initializes a
	 * class.
	 */
	private static final class SleepsWhenLoaded {

		private static final boolean DONE = sleep();

		private static boolean sleep() {
			try {
				Thread.sleep(10);
				return true;
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
