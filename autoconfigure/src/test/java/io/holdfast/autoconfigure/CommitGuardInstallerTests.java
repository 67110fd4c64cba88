package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Which transaction managers are guarded.
 */
class CommitGuardInstallerTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class))
		.withPropertyValues("holdfast.store=local");

	static List<TransactionExecutionListener> guards(PlatformTransactionManager manager) {
		return ((ConfigurableTransactionManager) manager).getTransactionExecutionListeners()
			.stream()
			.filter(CommitGuardInstaller.CommitGuard.class::isInstance)
			.toList();
	}

	@Test
	void managersOfTheUserAreGuarded() {
		this.contextRunner.withUserConfiguration(Managers.class).run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class);
			context.getBeansOfType(PlatformTransactionManager.class).forEach((name, manager) -> {
				assertThat(guards(manager)).as(name).hasSize(1);
				LockHandle lost = lose(locks::acquire, name);
				assertThatExceptionOfType(LockLostException.class).as(name)
					.isThrownBy(() -> new TransactionTemplate(manager).executeWithoutResult((status) -> {
					}));
				assertThat(outcome(context.getBean(Outcomes.class), name)).isEqualTo("rolled back");
				lost.close();
				new TransactionTemplate(manager).executeWithoutResult((status) -> {
				});
				assertThat(outcome(context.getBean(Outcomes.class), name)).isEqualTo("committed");
			});
		});
	}

	private static String outcome(Outcomes outcomes, String name) {
		return outcomes.ofManagers.stream()
			.filter((manager) -> manager.name.equals(name))
			.findFirst()
			.orElseThrow().outcome;
	}

	private static LockHandle lose(Function<LockRequest, LockHandle> locks, String key) {
		LockHandle handle = locks
			.apply(LockRequest.of(key).lease(LockRequest.SHORTEST_LEASE.multipliedBy(5)).autoRenew(false));
		await().pollInterval(Duration.ofMillis(5)).until(() -> !handle.isHeld());
		return handle;
	}

	@Test
	void locksOfARegistryCountWhereThereIsNoTemplate() {
		this.contextRunner.withUserConfiguration(Managers.class)
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> assertCommitIsRefused(context, context.getBean(LockRegistry.class)));
	}

	@Test
	void locksOfAParentCount() {
		this.contextRunner.run((parent) -> this.contextRunner.withParent(parent)
			.withUserConfiguration(Managers.class)
			.run((context) -> assertCommitIsRefused(context, parent.getBean(LockRegistry.class))));
	}

	private static void assertCommitIsRefused(ApplicationContext context, LockRegistry registry) {
		LockHandle lost = lose(registry::acquireOrThrow, "refused");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> commit(context));
		assertThat(outcome(context.getBean(Outcomes.class), "plain")).isEqualTo("rolled back");
		lost.close();
	}

	private static void commit(ApplicationContext context) {
		new TransactionTemplate(context.getBean("plain", PlatformTransactionManager.class))
			.executeWithoutResult((status) -> {
			});
	}

	@Test
	void listenersOfTheUserStay() {
		TransactionExecutionListener own = new TransactionExecutionListener() {
		};
		this.contextRunner.withBean("manager", Manager.class, () -> {
			Manager manager = new Manager("manager");
			manager.setTransactionExecutionListeners(List.of(own));
			return manager;
		})
			.run((context) -> assertThat(context.getBean(Manager.class).getTransactionExecutionListeners()).hasSize(2)
				.startsWith(own)
				.last()
				.isInstanceOf(CommitGuardInstaller.CommitGuard.class));
	}

	/**
	 * Of any kind: what is done at a commit does not matter.
	 */
	static class Manager extends AbstractPlatformTransactionManager {

		private static final long serialVersionUID = 1L;

		private final String name;

		private String outcome = "none";

		Manager(String name) {
			this.name = name;
		}

		@Override
		protected Object doGetTransaction() {
			return this;
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			this.outcome = "begun";
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			this.outcome = "committed";
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			this.outcome = "rolled back";
		}

	}

	record Outcomes(List<Manager> ofManagers) {

	}

	@Configuration(proxyBeanMethods = false)
	static class Managers {

		private final List<Manager> managers = List.of(new Manager("plain"), new Manager("proxied"),
				new Manager("made"));

		@Bean
		Outcomes outcomes() {
			return new Outcomes(this.managers);
		}

		@Bean
		PlatformTransactionManager plain() {
			return this.managers.get(0);
		}

		@Bean
		PlatformTransactionManager proxied() {
			return (PlatformTransactionManager) new ProxyFactory(this.managers.get(1)).getProxy();
		}

		@Bean
		FactoryBean<PlatformTransactionManager> made() {
			return new FactoryBean<>() {

				@Override
				public PlatformTransactionManager getObject() {
					return Managers.this.managers.get(2);
				}

				@Override
				public Class<?> getObjectType() {
					return PlatformTransactionManager.class;
				}

			};
		}

	}

}
