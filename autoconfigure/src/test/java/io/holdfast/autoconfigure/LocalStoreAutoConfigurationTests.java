package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.actuate.LocksHealthIndicator;
import io.holdfast.engine.LockStore;
import io.holdfast.local.LocalLockStore;
import io.holdfast.test.RecordedLog;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks in memory in an application.
 */
@Tag("slow")
class LocalStoreAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class,
				HoldfastHealthContributorAutoConfiguration.class))
		.withPropertyValues("holdfast.store=local");

	@Test
	void needsNothingOfRedisAndSaysSo() {
		try (RecordedLog log = new RecordedLog()) {
			this.contextRunner
				.withClassLoader(
						new FilteredClassLoader("org.springframework.data.redis", "redis.clients.jedis", "io.lettuce"))
				.run((context) -> {
					assertThat(context).hasSingleBean(LockStore.class).hasSingleBean(LocalLockStore.class);
					assertThat(context.getBean(LockTemplate.class).tryExecute("k", LockHandle::isHeld)).contains(true);
					assertThat(context.getBean(LocksHealthIndicator.class).health().getStatus()).isEqualTo(Status.UP);
				});
			assertThat(log.lines("exclude inside this JVM only")).hasSize(1);
		}
	}

	@Test
	void warningsAreGivenWhenTheyAreAskedFor() {
		this.contextRunner.withPropertyValues("holdfast.warn-hold=100ms", "holdfast.warn-wait=100ms").run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class);
			try (RecordedLog log = new RecordedLog()) {
				CyclicBarrier bothHold = new CyclicBarrier(2);
				CompletableFuture<?> one = Threads.start(() -> nest(locks, "warned-1", bothHold, "warned-2"));
				CompletableFuture<?> other = Threads.start(() -> nest(locks, "warned-2", bothHold, "warned-1"));
				CompletableFuture.allOf(one.exceptionally((ex) -> null), other.exceptionally((ex) -> null)).join();
				assertThat(log.lines("Long hold of lock 'warned-1'")).hasSize(1);
				assertThat(log.lines("Long wait for lock 'warned-1'")).hasSize(1);
			}
		});
	}

	private static boolean nest(LockTemplate locks, String outer, CyclicBarrier bothHold, String inner)
			throws Exception {
		try (LockHandle held = locks.acquire(LockRequest.of(outer))) {
			bothHold.await(30, TimeUnit.SECONDS);
			try (LockHandle both = locks.acquire(LockRequest.of(inner))) {
				return held.isHeld() && both.isHeld();
			}
		}
	}

	@Test
	void applicationsInOneJvmExcludeEachOther() {
		LockRequest request = LockRequest.of("shared-by-two").waitFor(Duration.ZERO);
		this.contextRunner.run((first) -> this.contextRunner.run((second) -> {
			try (LockHandle handle = first.getBean(LockTemplate.class).acquire(request)) {
				assertThat(second.getBean(LockTemplate.class).tryAcquire(request)).isEmpty();
				assertThat(handle.isHeld()).isTrue();
			}
			assertThat(second.getBean(LockTemplate.class).tryExecute(request, LockHandle::isHeld)).contains(true);
		}));
	}

	@Test
	void otherPrefixesAreOtherLocks() {
		LockRequest request = LockRequest.of("apart").waitFor(Duration.ZERO);
		this.contextRunner
			.run((first) -> this.contextRunner.withPropertyValues("holdfast.key-prefix=other").run((second) -> {
				try (LockHandle handle = first.getBean(LockTemplate.class).acquire(request)) {
					assertThat(second.getBean(LockTemplate.class).tryExecute(request, LockHandle::isHeld))
						.contains(true);
					assertThat(handle.isHeld()).isTrue();
				}
			}));
	}

}
