package io.holdfast.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;

import io.holdfast.LockTemplate;
import io.holdfast.integration.IntegrationLockRegistry;
import io.holdfast.shedlock.HoldfastLockProvider;
import io.holdfast.test.RedisProcess;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.api.RedissonClient;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A rolling release from another library in two steps: instances that take the old lock,
 * then both, then only that of Holdfast. Each application has all the libraries.
 */
class RollingMigrationTests {

	private static final String KEY = "order:42";

	private static final int SECTIONS = 40;

	private static final RedisProcess redis = new RedisProcess();

	private static ConfigurableApplicationContext one;

	private static ConfigurableApplicationContext two;

	@BeforeAll
	static void startInstances() {
		redis.start();
		one = start();
		two = start();
	}

	@AfterAll
	static void stopInstances() {
		one.close();
		two.close();
		redis.close();
	}

	private static ConfigurableApplicationContext start() {
		return new SpringApplicationBuilder(OtherLockLibrariesTests.Application.class).web(WebApplicationType.NONE)
			.properties("spring.data.redis.port=" + redis.port(), "spring.main.banner-mode=off")
			.run();
	}

	@ParameterizedTest
	@EnumSource
	void releasesNextToEachOtherExcludeEachOther(Library library) throws Exception {
		Release before = (section) -> library.run(one, section);
		Release between = (section) -> library.runUnderBoth(two, section);
		assertThat(overlaps(before, between)).isZero();
		Release sameBetween = (section) -> library.runUnderBoth(one, section);
		assertThat(overlaps(sameBetween, between)).isZero();
		Release after = (section) -> library.runUnderHoldfast(one, section);
		assertThat(overlaps(between, after)).isZero();
	}

	/**
	 * Run sections in both releases, and count those that were not alone.
	 */
	private static int overlaps(Release one, Release other) throws Exception {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger overlaps = new AtomicInteger();
		AtomicInteger sections = new AtomicInteger();
		Callable<Integer> section = () -> {
			overlaps.addAndGet(inside.getAndIncrement());
			TimeUnit.MILLISECONDS.sleep(1);
			inside.decrementAndGet();
			return sections.incrementAndGet();
		};
		CyclicBarrier start = new CyclicBarrier(4);
		ExecutorService threads = Executors.newFixedThreadPool(4);
		try {
			List<Future<Boolean>> workers = threads
				.invokeAll(Stream.of(one, other, one, other).map((release) -> work(release, section, start)).toList());
			for (Future<Boolean> worker : workers) {
				assertThat(worker.get()).isTrue();
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(sections).hasValue(4 * SECTIONS);
		return overlaps.get();
	}

	private static Callable<Boolean> work(Release release, Callable<?> section, CyclicBarrier start) {
		return () -> {
			start.await();
			for (int i = 0; i < SECTIONS; i++) {
				release.run(section);
			}
			return true;
		};
	}

	/**
	 * How a release of an application protects a section.
	 */
	@FunctionalInterface
	private interface Release {

		void run(Callable<?> section) throws Exception;

	}

	enum Library {

		REDISSON {

			@Override
			void run(ApplicationContext application, Callable<?> section) throws Exception {
				under(application.getBean(RedissonClient.class).getLock(KEY), section);
			}

		},

		SPRING_INTEGRATION {

			@Override
			void run(ApplicationContext application, Callable<?> section) throws Exception {
				under(old(application).obtain(KEY), section);
			}

			@Override
			void runUnderBoth(ApplicationContext application, Callable<?> section) throws Exception {
				under(BothLocks.registry(old(application), holdfast(application)).obtain(KEY), section);
			}

			@Override
			void runUnderHoldfast(ApplicationContext application, Callable<?> section) throws Exception {
				under(holdfast(application).obtain(KEY), section);
			}

			private LockRegistry<?> old(ApplicationContext application) {
				return application.getBean(RedisLockRegistry.class);
			}

			private LockRegistry<?> holdfast(ApplicationContext application) {
				return new IntegrationLockRegistry(application.getBean(io.holdfast.LockRegistry.class),
						Duration.ofSeconds(30));
			}

		},

		SHEDLOCK {

			@Override
			void run(ApplicationContext application, Callable<?> section) throws Exception {
				asTask(old(application), section);
			}

			@Override
			void runUnderBoth(ApplicationContext application, Callable<?> section) throws Exception {
				asTask(BothTaskLocks.provider(old(application), holdfast(application)), section);
			}

			@Override
			void runUnderHoldfast(ApplicationContext application, Callable<?> section) throws Exception {
				asTask(holdfast(application), section);
			}

			private LockProvider old(ApplicationContext application) {
				return new RedisLockProvider(application.getBean(RedisConnectionFactory.class));
			}

			private LockProvider holdfast(ApplicationContext application) {
				return new HoldfastLockProvider(application.getBean(io.holdfast.LockRegistry.class), false);
			}

			private void asTask(LockProvider locks, Callable<?> section) throws Exception {
				LockConfiguration task = new LockConfiguration(ClockProvider.now(), KEY, Duration.ofMinutes(1),
						Duration.ZERO);
				SimpleLock lock = Awaitility.await()
					.atMost(Duration.ofMinutes(1))
					.pollDelay(Duration.ZERO)
					.pollInterval(Duration.ofMillis(1))
					.until(() -> locks.lock(task), Optional::isPresent)
					.orElseThrow();
				try {
					section.call();
				}
				finally {
					lock.unlock();
				}
			}

		};

		abstract void run(ApplicationContext application, Callable<?> section) throws Exception;

		void runUnderBoth(ApplicationContext application, Callable<?> section) throws Exception {
			run(application, () -> {
				runUnderHoldfast(application, section);
				return null;
			});
		}

		void runUnderHoldfast(ApplicationContext application, Callable<?> section) throws Exception {
			application.getBean(LockTemplate.class).execute(KEY, (lock) -> section.call());
		}

		private static void under(Lock lock, Callable<?> section) throws Exception {
			lock.lock();
			try {
				section.call();
			}
			finally {
				lock.unlock();
			}
		}

	}

}
