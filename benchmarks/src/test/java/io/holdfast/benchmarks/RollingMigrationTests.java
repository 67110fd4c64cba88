package io.holdfast.benchmarks;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;

import com.baomidou.lock.LockInfo;
import io.holdfast.LockTemplate;
import io.holdfast.benchmarks.harness.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.api.RedissonClient;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.integration.redis.util.RedisLockRegistry;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A rolling release from another library in two steps: instances that take the old lock,
 * then both, then only that of Holdfast. Each application has all the libraries.
 */
class RollingMigrationTests {

	private static final String KEY = "order:42";

	private static final int SECTIONS = 40;

	private RedisServer redis;

	private ConfigurableApplicationContext one;

	private ConfigurableApplicationContext two;

	@BeforeEach
	void startInstances() {
		this.redis = RedisServer.open(0);
		this.one = start();
		this.two = start();
	}

	@AfterEach
	void stopInstances() {
		this.one.close();
		this.two.close();
		this.redis.close();
	}

	private ConfigurableApplicationContext start() {
		return new SpringApplicationBuilder(OtherLockLibrariesTests.Application.class).web(WebApplicationType.NONE)
			.properties("spring.data.redis.port=" + this.redis.port(), "spring.main.banner-mode=off")
			.run();
	}

	@ParameterizedTest
	@EnumSource
	void releasesNextToEachOtherExcludeEachOther(Library library) throws Exception {
		Release before = (section) -> library.run(this.one, section);
		Release between = (section) -> library.run(this.two,
				() -> holdfast(this.two).execute(KEY, (lock) -> section.call()));
		assertThat(overlaps(before, between)).isZero();
		Release sameBetween = (section) -> library.run(this.one,
				() -> holdfast(this.one).execute(KEY, (lock) -> section.call()));
		assertThat(overlaps(sameBetween, between)).isZero();
		Release after = (section) -> holdfast(this.one).execute(KEY, (lock) -> section.call());
		assertThat(overlaps(between, after)).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void releasesThatAreNotDoNot(Library library) throws Exception {
		Release before = (section) -> library.run(this.one, section);
		Release after = (section) -> holdfast(this.two).execute(KEY, (lock) -> section.call());
		assertThat(overlaps(before, after)).isPositive();
	}

	private static LockTemplate holdfast(ApplicationContext application) {
		return application.getBean(LockTemplate.class);
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
				under(application.getBean(RedisLockRegistry.class).obtain(KEY), section);
			}

		},

		LOCK4J {

			@Override
			void run(ApplicationContext application, Callable<?> section) throws Exception {
				com.baomidou.lock.LockTemplate locks = application.getBean(com.baomidou.lock.LockTemplate.class);
				LockInfo lock = locks.lock(KEY, 60_000, 60_000);
				try {
					section.call();
				}
				finally {
					locks.releaseLock(lock);
				}
			}

		};

		abstract void run(ApplicationContext application, Callable<?> section) throws Exception;

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
