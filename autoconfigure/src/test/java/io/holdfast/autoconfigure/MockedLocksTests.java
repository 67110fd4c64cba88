package io.holdfast.autoconfigure;

import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.LockAssert;
import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.actuate.LocksHealthIndicator;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.bean.override.convention.TestBean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.mockingDetails;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/**
 * Annotated methods while a test has put mocks in the place of the beans with the locks.
 * Each test changes its context, which Spring would keep.
 */
@DirtiesContext
class MockedLocksTests {

	private static void assertThatMethodsAreLocked(Stock stock) {
		assertThat(stock.plain()).isEqualTo("plain");
		assertThat(stock.future().join()).isEqualTo("future");
		assertThat(stock.mono().block()).isEqualTo("mono");
		assertThat(stock.flux().collectList().block()).containsExactly("flux");
	}

	@Nested
	@SpringBootTest(classes = Application.class, properties = "holdfast.store=local")
	class Registry {

		@MockitoBean
		private LockRegistry registry;

		@Autowired
		private LockTemplate template;

		@Autowired
		private LocksHealthIndicator health;

		@Test
		void templateAndHealthAreReal() {
			assertThat(mockingDetails(this.registry).isMock()).isTrue();
			this.template.executeWithoutResult("registry", (lock) -> LockAssert.assertHeld("registry"));
			assertThat(this.health.health().getStatus()).isEqualTo(Status.UP);
		}

	}

	@Nested
	@SpringBootTest(classes = Application.class, properties = { "holdfast.store=local", "holdfast.wait-for=0" })
	class Both {

		@MockitoBean
		private LockTemplate template;

		@MockitoBean
		private LockRegistry registry;

		@Autowired
		private Stock stock;

		@Test
		void methodsAreLocked() {
			assertThatMethodsAreLocked(this.stock);
			assertThat(mockingDetails(this.template).getInvocations()).isEmpty();
			assertThat(mockingDetails(this.registry).getInvocations()).isEmpty();
		}

	}

	@Nested
	@SpringBootTest(classes = Application.class, properties = { "holdfast.store=local", "holdfast.wait-for=0" })
	class Spies {

		@MockitoSpyBean
		private LockTemplate template;

		@MockitoSpyBean
		private LockRegistry registry;

		@Autowired
		private Stock stock;

		@Test
		void lockTheSameLocksAsMethods() {
			when(this.registry.isHeldByCurrentThread("stubbed")).thenReturn(true);
			try (LockHandle lock = this.template.acquire(LockRequest.of("plain").ownedByHandle())) {
				assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(this.stock::plain);
				assertThat(this.registry.held()).hasSize(1);
				assertThat(lock.isHeld()).isTrue();
			}
			verify(this.template).acquire(LockRequest.of("plain").ownedByHandle());
			this.registry.lock("view").lock();
			assertThat(this.registry.isHeldByCurrentThread("view")).isTrue();
			assertThat(this.registry.isHeldByCurrentThread("stubbed")).isTrue();
		}

	}

	@Nested
	@SpringBootTest(classes = { Application.class, Scheduling.class }, properties = "holdfast.store=local")
	class SpiedBean {

		@MockitoSpyBean
		private Stock stock;

		@MockitoSpyBean
		private Shelf shelf;

		@Test
		void methodsAreLocked() {
			assertThatMethodsAreLocked(this.stock);
			verify(this.stock).plain();
			verify(this.shelf, timeout(30_000)).sortedUnderTheLock();
			doReturn("stubbed").when(this.stock).plain();
			assertThat(this.stock.plain()).isEqualTo("stubbed");
		}

	}

	@Nested
	@SpringBootTest(
			classes = { Application.class, Scheduling.class, Imported.class, AlsoImported.class, ImportedShelf.class },
			properties = "holdfast.store=local")
	@MockitoBean(types = AlsoImported.class)
	class ReplacedBeans {

		@MockitoBean(name = "stock")
		private Stock mocked;

		@MockitoBean(name = "imported")
		private Contract imported;

		@Autowired
		private AlsoImported byType;

		@TestBean(name = "shelf")
		private Shelf replaced;

		@TestBean
		private ImportedShelf importedShelf;

		static ImportedShelf importedShelf() {
			return new ImportedShelf();
		}

		static Shelf replaced() {
			return new Shelf() {

				@Override
				public void sort() {
					// not locked
				}

			};
		}

		@Test
		void needNoProxy() {
			when(this.mocked.plain()).thenReturn("mocked");
			assertThat(this.mocked.plain()).isEqualTo("mocked");
			assertThat(Stream.of(this.mocked, this.imported, this.byType, this.replaced, this.importedShelf))
				.noneMatch(AopUtils::isAopProxy);
		}

	}

	@Test
	void templateOfTheUserThatRunsNothingIsAnError() {
		new ApplicationContextRunner().withUserConfiguration(Application.class)
			.withPropertyValues("holdfast.store=local")
			.withBean(LockTemplate.class, () -> mock(LockTemplate.class))
			.run((context) -> {
				Stock stock = context.getBean(Stock.class);
				assertThatIllegalStateException().isThrownBy(stock::plain)
					.withMessageContaining("The LockTemplate bean has not run the method");
				assertThatIllegalStateException().isThrownBy(stock::future)
					.withMessageContaining("The LockTemplate bean has not run the method");
				assertThatIllegalStateException().isThrownBy(() -> stock.mono().block())
					.withMessageContaining("has not run the code under the lock");
			});
	}

	@Test
	void registryOfTheUserThatReturnsNothingIsAnError() {
		new ApplicationContextRunner().withUserConfiguration(Application.class)
			.withPropertyValues("holdfast.store=local")
			.withBean(LockRegistry.class, () -> mock(LockRegistry.class))
			.run((context) -> assertThatIllegalStateException().isThrownBy(() -> context.getBean(Stock.class).plain())
				.withMessageContaining("has returned no lock"));
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, HoldfastAutoConfiguration.class,
			HoldfastHealthContributorAutoConfiguration.class })
	static class Application {

		@Bean
		Stock stock() {
			return new Stock();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Scheduling {

		@Bean
		Shelf shelf() {
			return new Shelf();
		}

	}

	interface Contract {

		@DistributedLock("'contract'")
		void call();

	}

	@Component("imported")
	static class Imported implements Contract {

		@Override
		public void call() {
		}

	}

	@Component("alsoImported")
	static class AlsoImported extends Imported {

	}

	static class ImportedShelf extends Shelf {

	}

	static class Shelf {

		@Scheduled(fixedDelay = 100_000)
		@DistributedLock("'shelf'")
		public void sort() {
			LockAssert.assertHeld("shelf");
			sortedUnderTheLock();
		}

		public void sortedUnderTheLock() {
		}

	}

	static class Stock {

		@DistributedLock("'plain'")
		public String plain() {
			LockAssert.assertHeld("plain");
			return "plain";
		}

		@DistributedLock("'future'")
		public CompletableFuture<String> future() {
			LockAssert.assertHeld("future");
			return CompletableFuture.completedFuture("future");
		}

		@DistributedLock("'mono'")
		public Mono<String> mono() {
			LockAssert.assertHeld("mono");
			return Mono.just("mono");
		}

		@DistributedLock("'flux'")
		public Flux<String> flux() {
			LockAssert.assertHeld("flux");
			return Flux.just("flux");
		}

	}

}
