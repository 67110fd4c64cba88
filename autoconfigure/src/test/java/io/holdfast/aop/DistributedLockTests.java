package io.holdfast.aop;

import java.io.IOException;
import java.util.List;

import io.holdfast.DistributedLock;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.LockTemplate;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The annotation, in an application on Redis.
 */
@Tag("slow")
class DistributedLockTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private static ConfigurableApplicationContext context;

	private static Orders orders;

	private static LockRegistry registry;

	@BeforeAll
	static void startApplication() {
		context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.data.redis.client-type=jedis", "spring.data.redis.port=" + redis.port(),
					"spring.main.banner-mode=off", "spring.datasource.generate-unique-name=true")
			.run();
		orders = context.getBean(Orders.class);
		registry = context.getBean(LockRegistry.class);
	}

	@AfterAll
	static void stopApplication() {
		context.close();
	}

	private static List<String> heldKeys() {
		return registry.held().stream().map(LockSnapshot::keys).flatMap(List::stream).toList();
	}

	// Keys

	@Test
	void locksTheKeyForTheTimeOfTheMethod() {
		assertThat(orders.byProperty(new Order(42L))).containsExactly("42");
		assertThat(heldKeys()).isEmpty();
	}

	@Test
	void expressionsSeeParametersRootAndBeans() {
		assertThat(orders.byPosition("a", "b")).containsExactly("a-b");
		assertThat(orders.byRoot("x")).containsExactly("byRoot-Orders-true-x");
		assertThat(orders.byBean("x")).containsExactly("tenant-x");
	}

	@Test
	void expressionThatFailsNamesMethodAndExpression() {
		assertThatIllegalArgumentException().isThrownBy(() -> orders.byProperty(null))
			.withMessageContaining("Orders.byProperty(Order)")
			.withMessageContaining("#order.id");
	}

	// Attributes

	@Test
	void conditionThatIsNoBooleanIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(orders::oddCondition)
			.withMessageContaining("condition")
			.withMessageContaining("evaluated to java.lang.String, not to true or false")
			.withMessageContaining("Orders.oddCondition()");
	}

	// Results

	@Test
	void exceptionOfTheMethodReachesTheCallerAsItIs() {
		assertThatExceptionOfType(IOException.class).isThrownBy(orders::fails)
			.withMessage("checked")
			.withNoCause()
			.satisfies((ex) -> assertThat(ex.getSuppressed()).isEmpty());
		assertThat(heldKeys()).isEmpty();
	}

	@Test
	void templateAndAnnotationShareTheLock() {
		LockTemplate template = context.getBean(LockTemplate.class);
		int count = template.execute("orders:7", (lock) -> {
			assertThat(orders.named("7")).containsExactly("orders:7");
			return lock.holdCount();
		});
		assertThat(count).isOne();
		assertThat(template.tryAcquire(LockRequest.of("7").name("orders"))).hasValueSatisfying((lock) -> {
			assertThat(lock.keys()).containsExactly("orders:7");
			lock.close();
		});
	}

	record Order(Long id) {

		public Long getId() {
			return this.id;
		}

	}

	static class Orders {

		private final LockRegistry registry;

		Orders(LockRegistry registry) {
			this.registry = registry;
		}

		private List<String> held() {
			return this.registry.held().stream().map(LockSnapshot::keys).flatMap(List::stream).toList();
		}

		@DistributedLock(key = "#order.id")
		List<String> byProperty(Order order) {
			return held();
		}

		@DistributedLock("#p0 + '-' + #a1")
		List<String> byPosition(String first, String second) {
			return held();
		}

		@DistributedLock(key = "#root.method.name + '-' + #root.targetClass.simpleName + '-'"
				+ " + (#root.target != null) + '-' + #root.args[0]")
		List<String> byRoot(String argument) {
			return held();
		}

		@DistributedLock(key = "@tenants.current() + '-' + #key")
		List<String> byBean(String key) {
			return held();
		}

		@DistributedLock(name = "orders", key = "#key")
		List<String> named(String key) {
			return held();
		}

		@DistributedLock(key = "'odd'", condition = "'maybe'")
		void oddCondition() {
		}

		@DistributedLock(key = "'fails'")
		void fails() throws IOException {
			throw new IOException("checked");
		}

	}

	static class Tenants {

		public String current() {
			return "tenant";
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Orders.class)
	static class Application {

		@Bean
		Tenants tenants() {
			return new Tenants();
		}

	}

}
