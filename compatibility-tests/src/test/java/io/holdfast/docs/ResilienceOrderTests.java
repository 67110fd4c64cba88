package io.holdfast.docs;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import io.github.resilience4j.bulkhead.annotation.Bulkhead;
import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import io.github.resilience4j.ratelimiter.annotation.RateLimiter;
import io.github.resilience4j.retry.annotation.Retry;
import io.github.resilience4j.springboot.bulkhead.autoconfigure.BulkheadAutoConfiguration;
import io.github.resilience4j.springboot.circuitbreaker.autoconfigure.CircuitBreakerAutoConfiguration;
import io.github.resilience4j.springboot.ratelimiter.autoconfigure.RateLimiterAutoConfiguration;
import io.github.resilience4j.springboot.retry.autoconfigure.RetryAutoConfiguration;
import io.github.resilience4j.springboot.timelimiter.autoconfigure.TimeLimiterAutoConfiguration;
import io.github.resilience4j.timelimiter.annotation.TimeLimiter;
import io.holdfast.DistributedLock;
import io.holdfast.aop.DistributedLockAdvisor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.Advised;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Locks and Resilience4j.
 */
@Tag("any-jdk")
class ResilienceOrderTests {

	private final ApplicationContextRunner contextRunner = OneApplication.with(Bank.class)
		.withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class, CircuitBreakerAutoConfiguration.class,
				RateLimiterAutoConfiguration.class, TimeLimiterAutoConfiguration.class,
				BulkheadAutoConfiguration.class))
		.withPropertyValues("resilience4j.retry.configs.default.wait-duration=1ms",
				"resilience4j.timelimiter.configs.default.timeout-duration=50ms");

	private final ApplicationContextRunner outside = this.contextRunner.withPropertyValues(
			"resilience4j.retry.retry-aspect-order=1000",
			"resilience4j.circuitbreaker.circuit-breaker-aspect-order=1001",
			"resilience4j.ratelimiter.rate-limiter-aspect-order=1002",
			"resilience4j.timelimiter.time-limiter-aspect-order=1003",
			"resilience4j.bulkhead.bulkhead-aspect-order=1004");

	@Test
	void allAnnotationsAreInsideUnlessTheyAreOrderedOutside() {
		this.contextRunner.run((context) -> assertThat(advisors(context)).hasSizeGreaterThan(5)
			.startsWith("ExposeInvocationInterceptor", "DistributedLockAdvisor"));
		this.outside
			.run((context) -> assertThat(advisors(context)).hasSizeGreaterThan(5).endsWith("DistributedLockAdvisor"));
	}

	private static List<String> advisors(ApplicationContext context) {
		return Stream.of(((Advised) context.getBean(Bank.class)).getAdvisors())
			.map((advisor) -> (advisor instanceof DistributedLockAdvisor) ? "DistributedLockAdvisor"
					: advisor.getAdvice().getClass().getSimpleName())
			.toList();
	}

	@Test
	void timeLimiterFreesTheLockWhileTheWorkGoesOn() {
		this.contextRunner.run((context) -> {
			Bank bank = context.getBean(Bank.class);
			assertThatItTimesOut(bank.transfer("a"));
			assertThat(bank.isWorking()).isTrue();
			assertThat(context.getBean(Locking.class).isFree("a")).isTrue();
		});
	}

	private static void assertThatItTimesOut(CompletableFuture<String> transfer) {
		assertThat(catchThrowable(transfer::get)).isInstanceOf(ExecutionException.class)
			.hasCauseInstanceOf(TimeoutException.class);
	}

	static class Bank {

		private final CompletableFuture<String> work = new CompletableFuture<>();

		private volatile boolean working;

		boolean isWorking() {
			return this.working;
		}

		@Retry(name = "bookings")
		@DistributedLock("#id")
		public void book(String id) {
			throw new IllegalStateException("busy");
		}

		@RateLimiter(name = "rates")
		@Bulkhead(name = "rates")
		@CircuitBreaker(name = "rates")
		@DistributedLock("#id")
		public int rate(String id) {
			return 1;
		}

		@TimeLimiter(name = "transfers")
		@DistributedLock("#id")
		public CompletableFuture<String> transfer(String id) {
			this.working = true;
			// does not end by itself when the future is completed
			return this.work.whenComplete((done, failure) -> this.working = false).thenApply((done) -> done);
		}

	}

}
