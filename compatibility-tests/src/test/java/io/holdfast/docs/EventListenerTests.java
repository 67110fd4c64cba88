package io.holdfast.docs;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.DistributedLock;
import io.holdfast.OnFailure;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.modulith.events.IncompleteEventPublications;
import org.springframework.modulith.events.config.EventPublicationAutoConfiguration;
import org.springframework.modulith.events.core.EventPublicationRegistry;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Locks of event listeners.
 */
@Tag("any-jdk")
class EventListenerTests {

	private final ApplicationContextRunner contextRunner = OneApplication.withDatabaseAnd(Listeners.class);

	private final ApplicationContextRunner modulithRunner = OneApplication
		.withDatabaseAnd(ModuleListeners.class, Json.class)
		.withConfiguration(
				AutoConfigurations.of(JdbcTemplateAutoConfiguration.class, TaskExecutionAutoConfiguration.class,
						EventPublicationAutoConfiguration.class, named("jdbc.JdbcEventPublicationAutoConfiguration"),
						named("jackson.JacksonEventSerializationConfiguration")))
		.withPropertyValues("spring.modulith.events.jdbc.schema-initialization.enabled=true");

	/**
	 * Some of its auto-configurations are not public.
	 */
	private static Class<?> named(String modulith) {
		return ClassUtils.resolveClassName("org.springframework.modulith.events." + modulith, null);
	}

	private static void publish(ApplicationContext context, Object event) {
		new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
			.executeWithoutResult((transaction) -> context.publishEvent(event));
	}

	@Test
	void listenerIsLockedAndTheLockIsFreeAfterTheTransaction() {
		this.contextRunner.run((context) -> {
			publish(context, new Paid("1"));
			assertThat(context.getBean(Listeners.class).heard()).containsExactly("1");
			Locking locking = context.getBean(Locking.class);
			assertThat(locking.acquired()).containsExactly("invoice:1");
			assertThat(locking.isFree("invoice:1")).isTrue();
		});
	}

	@Test
	void refusedListenerDoesNotFailItsTransaction() {
		this.contextRunner.run((context) -> {
			context.getBean(Locking.class).whileHeldElsewhere("invoice:1", () -> publish(context, new Paid("1")));
			assertThat(context.getBean(Listeners.class).heard()).isEmpty();
		});
	}

	@Test
	void eventThatIsSkippedCountsAsDone() {
		this.modulithRunner.run((context) -> {
			context.getBean(Locking.class).whileHeldElsewhere("invoice:1", () -> {
				publish(context, new Billed("1"));
				await().until(() -> context.getBean(Locking.class).refusals() == 1);
			});
			await().untilAsserted(() -> assertThat(incomplete(context)).isEmpty());
			assertThat(context.getBean(ModuleListeners.class).heard()).isEmpty();
		});
	}

	@Test
	void eventOfARefusedListenerStaysIncompleteAndCanBePublishedAgain() {
		this.modulithRunner.run((context) -> {
			context.getBean(Locking.class).whileHeldElsewhere("invoice:1", () -> {
				publish(context, new Refunded("1"));
				await().until(() -> context.getBean(Locking.class).refusals() == 1);
			});
			assertThat(context.getBean(ModuleListeners.class).heard()).isEmpty();
			assertThat(incomplete(context)).hasSize(1);
			context.getBean(IncompleteEventPublications.class).resubmitIncompletePublications((event) -> true);
			await().until(() -> incomplete(context).isEmpty());
			assertThat(context.getBean(ModuleListeners.class).heard()).containsExactly("1");
		});
	}

	private static Collection<?> incomplete(ApplicationContext context) {
		return context.getBean(EventPublicationRegistry.class).findIncompletePublications();
	}

	record Paid(String invoice) {
	}

	record Billed(String invoice) {
	}

	record Refunded(String invoice) {
	}

	static class Listeners {

		private final List<String> heard = new ArrayList<>();

		List<String> heard() {
			return this.heard;
		}

		@TransactionalEventListener
		@DistributedLock(name = "invoice", key = "#paid.invoice")
		public void committed(Paid paid) {
			this.heard.add(paid.invoice());
		}

	}

	static class ModuleListeners {

		private final List<String> heard = new CopyOnWriteArrayList<>();

		List<String> heard() {
			return this.heard;
		}

		@ApplicationModuleListener
		@DistributedLock(name = "invoice", key = "#billed.invoice", onFailure = OnFailure.SKIP)
		public void print(Billed billed) {
			this.heard.add(billed.invoice());
		}

		@ApplicationModuleListener
		@DistributedLock(name = "invoice", key = "#refunded.invoice")
		public void refund(Refunded refunded) {
			// refused: the publication stays incomplete and can be published again
			this.heard.add(refunded.invoice());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Json {

		@Bean
		JsonMapper jsonMapper() {
			return new JsonMapper();
		}

	}

}
