package io.holdfast.docs;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.aop.DistributedLockAdvisor;
import jakarta.validation.constraints.NotNull;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aop.framework.Advised;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.validation.annotation.Validated;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * On which side of the lock other annotations are: each row of the page about them.
 */
@Tag("any-jdk")
class AnnotationOrderTests {

	/**
	 * What carries an annotation out, whether it encloses the lock, and what switches it
	 * on.
	 */
	static Stream<Arguments> rows() {
		return Stream.of(Arguments.of("TransactionInterceptor", false, Object.class),
				Arguments.of("TransactionInterceptor", true, TransactionsOutside.class),
				Arguments.of("CacheInterceptor", false, CachingInside.class),
				Arguments.of("CacheInterceptor", true, CachingOutside.class),
				Arguments.of("Async", true, AsyncMethods.class),
				Arguments.of("MethodValidation", true, ValidationAutoConfiguration.class),
				Arguments.of("springframework.resilience", true, ResilientMethods.class),
				Arguments.of("ConcurrencyLimit", true, ResilientMethods.class),
				Arguments.of("springframework.retry", false, SpringRetry.class),
				Arguments.of("springframework.retry", true, SpringRetryOutside.class),
				Arguments.of("springframework.security", true, MethodSecurity.class),
				Arguments.of("AspectJ", false, AspectWithoutOrder.class),
				Arguments.of("AspectJ", true, TenantAspect.class));
	}

	@ParameterizedTest
	@MethodSource("rows")
	void annotationIsOnItsSideOfTheLock(String advice, boolean enclosesTheLock, Class<?> configuration) {
		OneApplication.withDatabaseAnd(Everything.class, Tenants.class, configuration).run((context) -> {
			List<String> advices = Stream.of(((Advised) context.getBean(Everything.class)).getAdvisors())
				.map((advisor) -> (advisor instanceof DistributedLockAdvisor) ? "lock"
						: advisor.getAdvice().getClass().getName())
				.toList();
			int lock = advices.indexOf("lock");
			List<Integer> others = Stream.iterate(0, (i) -> i < advices.size(), (i) -> i + 1)
				.filter((i) -> advices.get(i).contains(advice))
				.toList();
			assertThat(lock).isNotNegative();
			assertThat(others).as("%s in %s", advice, advices)
				.isNotEmpty()
				.allMatch((other) -> other < lock == enclosesTheLock);
		});
	}

	@Validated
	static class Everything {

		@Transactional
		@DistributedLock("#id")
		public void transactional(String id) {
		}

		@Cacheable("prices")
		@DistributedLock(name = "price", key = "#item", waitFor = "30s")
		public int price(String item) {
			return item.length();
		}

		@Async
		@DistributedLock("#id")
		public CompletableFuture<String> report(@NotNull @Nullable String id) {
			return CompletableFuture.completedFuture(id);
		}

		// snippet: retryable
		@Retryable(excludes = LockNotAcquiredException.class)
		@DistributedLock("#id")
		public void sendOrGiveUp(String id) {
			connect(id);
		}
		// end

		private void connect(String id) {
			throw new IllegalStateException(id);
		}

		@ConcurrencyLimit(1)
		@org.springframework.retry.annotation.Retryable
		@DistributedLock("#id")
		public void send(String id) {
		}

		@PreAuthorize("hasRole('KEEPER')")
		@DistributedLock("@tenants.current()")
		public void pay(String tenant, String id) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(order = 0)
	static class TransactionsOutside {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	@Import(ConcurrentMapCacheManager.class)
	static class CachingInside {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching(order = 0)
	@Import(ConcurrentMapCacheManager.class)
	static class CachingOutside {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class AsyncMethods {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class ResilientMethods {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableRetry
	static class SpringRetry {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableRetry(order = 0)
	static class SpringRetryOutside {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableMethodSecurity
	static class MethodSecurity {

	}

	@Aspect
	static class AspectWithoutOrder {

		@Around("execution(* *.pay(..))")
		Object around(ProceedingJoinPoint call) throws Throwable {
			return call.proceed();
		}

	}

}
