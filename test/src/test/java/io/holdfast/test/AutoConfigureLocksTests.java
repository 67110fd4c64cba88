package io.holdfast.test;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;

import io.holdfast.LockAssert;
import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.TestContextManager;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks in memory for slices and whole applications.
 */
@Tag("slow")
class AutoConfigureLocksTests {

	@Nested
	@WebMvcTest
	@AutoConfigureLocks
	class WebSlice {

		@Autowired
		private MockMvcTester mvc;

		@Autowired
		private Counter counter;

		@Test
		void methodsAreLocked() {
			assertThat(this.mvc.get().uri("/open")).hasBodyTextEqualTo("open");
			assertThat(this.counter.get()).isEqualTo("open");
		}

	}

	@Nested
	@DataJpaTest(properties = "holdfast.wait-for=0")
	@AutoConfigureLocks
	@Import(Bank.class)
	class DataSlice {

		@Autowired
		private Bank bank;

		@Autowired
		private Accounts accounts;

		@Autowired
		private LockRegistry registry;

		@Test
		void methodsAreLocked() {
			this.bank.open(1);
			assertThat(this.accounts.existsById(1L)).isTrue();
			LockRequest sameKey = LockRequest.of("account:2").ownedByHandle();
			try (LockHandle lock = this.registry.acquireOrThrow(sameKey)) {
				assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.bank.open(2));
				assertThat(lock.isHeld()).isTrue();
			}
		}

		/**
		 * Which ends after the test, and is no leak.
		 */
		@Test
		void lockIsHeldUntilTheEndOfTheTransactionOfTheTest() {
			this.bank.openInTransaction(1);
			LockAssert.assertHeld("account:1");
		}

	}

	/**
	 * A whole application, whose Redis must not be connected to.
	 */
	@Nested
	@SpringBootTest(classes = BankApplication.class)
	@TestPropertySource(properties = "holdfast.key-prefix=mine")
	@AutoConfigureLocks
	@ExtendWith(OutputCaptureExtension.class)
	class Whole {

		private static final ServerSocketChannel redis = listen();

		@Autowired
		private Counter counter;

		@Autowired
		private ApplicationContext context;

		@DynamicPropertySource
		static void redis(DynamicPropertyRegistry properties) {
			properties.add("spring.data.redis.port", () -> redis.socket().getLocalPort());
		}

		private static ServerSocketChannel listen() {
			try {
				ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress("localhost", 0));
				server.configureBlocking(false);
				return server;
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@AfterAll
		static void close() throws IOException {
			redis.close();
		}

		@Test
		void locksWithoutRedisAndWithoutAWarning(CapturedOutput output) throws IOException {
			assertThat(this.counter.get()).isEqualTo("open");
			assertThat(this.context.getBeanProvider(RedisConnectionFactory.class)).isNotEmpty();
			assertThat(redis.accept()).isNull();
			assertThat(output.getAll()).contains("This instance holds locks under the id")
				.doesNotContain("Locks are kept in");
		}

		@Test
		void propertiesOfTheTestRemain() {
			Environment environment = this.context.getEnvironment();
			assertThat(environment.getProperty("holdfast.key-prefix")).isEqualTo("mine");
			assertThat(environment.getProperty("holdfast.store")).isEqualTo("local");
		}

	}

	@Nested
	@SpringBootTest(classes = BankApplication.class,
			properties = { "holdfast.enabled=false", "holdfast.store=redis", "holdfast.redis.replica-acks=1",
					"holdfast.redis.nodes[0]=rediss://localhost:1", "holdfast.redis.nodes[1]=rediss://localhost:2",
					"holdfast.redis.nodes[2]=rediss://localhost:3", "holdfast.redis.ssl.bundle=locks" })
	@AutoConfigureLocks
	class ConfiguredForProduction {

		@Autowired
		private Counter counter;

		@Test
		void methodsAreLocked() {
			assertThat(this.counter.get()).isEqualTo("open");
		}

	}

	@Test
	void locksOfContextsDiffer() {
		LockTemplate locks = contextOf(One.class).getBean(LockTemplate.class);
		LockTemplate others = contextOf(Other.class).getBean(LockTemplate.class);
		LockRequest request = LockRequest.of("a").ownedByHandle();
		try (LockHandle lock = locks.acquire(request)) {
			assertThat(locks.tryAcquire(request)).isEmpty();
			assertThat(others.tryExecute(request, LockHandle::isHeld)).contains(true);
			assertThat(lock.isHeld()).isTrue();
		}
	}

	private static ApplicationContext contextOf(Class<?> test) {
		return new TestContextManager(test).getTestContext().getApplicationContext();
	}

	@SpringBootTest(classes = BankApplication.class, properties = "holdfast.store=local")
	@AutoConfigureLocks
	static class One {

	}

	@SpringBootTest(classes = BankApplication.class, properties = "holdfast.store=local")
	@AutoConfigureLocks
	@TestPropertySource(properties = "other=true")
	static class Other {

	}

}
