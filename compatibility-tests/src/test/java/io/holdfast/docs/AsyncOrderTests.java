package io.holdfast.docs;

import java.util.concurrent.CompletableFuture;

import io.holdfast.DistributedLock;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks and {@code @Async}.
 */
@Tag("any-jdk")
class AsyncOrderTests {

	@Test
	void workerLocks() {
		OneApplication.with(Reports.class, AsyncMethods.class).run((context) -> {
			Locking locking = context.getBean(Locking.class);
			locking.lookFor(() -> Thread.currentThread().getName());
			String worker = Threads.join(context.getBean(Reports.class).report("a"));
			assertThat(worker).isNotEqualTo(Thread.currentThread().getName());
			assertThat(locking.seen()).containsExactly(worker);
			assertThat(locking.acquired()).containsExactly("a");
		});
	}

	@Test
	void refusalIsInTheFuture() {
		OneApplication.with(Reports.class, AsyncMethods.class)
			.run((context) -> context.getBean(Locking.class).whileHeldElsewhere("a", () -> {
				CompletableFuture<String> report = context.getBean(Reports.class).report("a");
				assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> Threads.join(report));
			}));
	}

	@Test
	void executorOfSpringBootTakesThreadLocalsAlong() {
		OneApplication.with(Reports.class, AsyncMethods.class)
			.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
			.withPropertyValues("spring.task.execution.propagate-context=true")
			.run((context) -> {
				SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("jane", "secret"));
				try {
					assertThat(Threads.join(context.getBean(Reports.class).user("a"))).isEqualTo("jane");
				}
				finally {
					SecurityContextHolder.clearContext();
				}
			});
	}

	static class Reports {

		@Async
		@DistributedLock("@locking.key(#id)")
		public CompletableFuture<String> report(String id) {
			return CompletableFuture.completedFuture(Thread.currentThread().getName());
		}

		@Async
		@DistributedLock("#id")
		public CompletableFuture<String> user(String id) {
			return CompletableFuture.completedFuture(SecurityContextHolder.getContext().getAuthentication().getName());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class AsyncMethods {

	}

}
