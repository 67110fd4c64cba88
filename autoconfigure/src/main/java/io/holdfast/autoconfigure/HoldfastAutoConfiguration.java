package io.holdfast.autoconfigure;

import io.holdfast.LockListener;
import io.holdfast.LockLostEvent;
import io.holdfast.LockRegistry;
import io.holdfast.LockSnapshot;
import io.holdfast.LockTemplate;
import io.holdfast.actuate.LockNames;
import io.holdfast.actuate.LockObservations;
import io.holdfast.autoconfigure.MissingPrerequisiteFailureAnalyzer.MissingPrerequisiteException;
import io.holdfast.engine.EngineListener;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.LockStore;

import org.springframework.beans.factory.BeanCreationNotAllowedException;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Auto-configuration for distributed locks.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@Conditional(HoldfastAutoConfiguration.OnEnabledCondition.class)
@EnableConfigurationProperties(HoldfastProperties.class)
@Import(HoldfastAutoConfiguration.InterceptionSelector.class)
public final class HoldfastAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static PropertyChecks holdfastPropertyChecks() {
		return new PropertyChecks();
	}

	@Bean
	@ConditionalOnMissingBean
	LockNames holdfastLockNames(HoldfastProperties properties) {
		return new LockNames(properties.metrics().maxNames());
	}

	/**
	 * Left out if the user defines a template. A test may replace that bean by a mock, so
	 * annotated methods do not use it.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean(LockTemplate.class)
	static class TemplateConfiguration {

		@Bean
		AnnotationTemplate holdfastAnnotationTemplate(ObjectProvider<LockEngine> engine,
				ObjectProvider<LockRegistry> registry, HoldfastProperties properties,
				ObjectProvider<LockObservations> observations) {
			LockEngine own = engine.getIfAvailable();
			return new AnnotationTemplate(new LockTemplate((own != null) ? own.registry() : registry.getObject(),
					properties.onLost(), properties.releaseAfterTransaction(), observations.getIfAvailable()));
		}

		@Bean
		LockTemplate holdfastLockTemplate(AnnotationTemplate template) {
			return template.template();
		}

	}

	/**
	 * Left out if the user defines a registry. A test may replace that bean by a mock, so
	 * the other beans use the engine.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean(LockRegistry.class)
	@Import({ LocalLockStoreConfiguration.class, RedisLockStoreConfiguration.class })
	static class EngineConfiguration {

		@Bean
		LockEngine holdfastLockEngine(ObjectProvider<LockStore> store, HoldfastProperties properties,
				ObjectProvider<LockListener> listeners, ObjectProvider<EngineListener> observers,
				Environment environment, ListableBeanFactory beans) {
			PropertyChecks.checkNotMarked(properties, beans);
			return new LockEngine(new HoldfastLockRegistry(store.getIfAvailable(() -> {
				PropertyChecks.checkModules(environment);
				throw MissingPrerequisiteException.lockStore();
			}), properties.toEngineSettings(environment.getProperty(HoldfastProperties.APPLICATION)),
					() -> listeners.orderedStream().toList(),
					observers.orderedStream().toArray(EngineListener[]::new)));
		}

		@Bean(destroyMethod = "")
		HoldfastLockRegistry holdfastLockRegistry(LockEngine engine) {
			return engine.registry();
		}

		@Bean
		LockLifecycle holdfastLockLifecycle(ApplicationContext context, LockEngine engine,
				HoldfastProperties properties) {
			return new LockLifecycle(context, engine.registry(), properties.shutdownGrace());
		}

		@Bean
		LockLostEventPublisher holdfastLockLostEventPublisher(ApplicationEventPublisher publisher) {
			return new LockLostEventPublisher(publisher);
		}

		/**
		 * Publishes lost locks as application events, while there can be who listens. Is
		 * no {@link LockListener}, so that a grant costs nothing where there is none.
		 */
		static class LockLostEventPublisher implements EngineListener {

			private final ApplicationEventPublisher publisher;

			LockLostEventPublisher(ApplicationEventPublisher publisher) {
				this.publisher = publisher;
			}

			@Override
			public void lost(LockSnapshot lock, Throwable cause) {
				try {
					this.publisher.publishEvent(new LockLostEvent(lock, cause));
				}
				catch (BeanCreationNotAllowedException ex) {
					// the application is being closed
				}
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "org.springframework.transaction.ConfigurableTransactionManager")
	static class TransactionConfiguration {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static CommitGuardInstaller holdfastCommitGuardInstaller() {
			return new CommitGuardInstaller();
		}

	}

	/**
	 * Chooses between proxies and AspectJ: there must be one of them, and not both,
	 * however the property is spelled.
	 */
	static class InterceptionSelector implements ImportSelector {

		private static final String WEAVING = "io.holdfast.aspectj.WeavingConfiguration";

		private final Environment environment;

		InterceptionSelector(Environment environment) {
			this.environment = environment;
		}

		@Override
		public String[] selectImports(AnnotationMetadata metadata) {
			boolean woven = HoldfastProperties.Aspect.isWoven(this.environment);
			if (woven && !ClassUtils.isPresent(WEAVING, HoldfastAutoConfiguration.class.getClassLoader())) {
				throw MissingPrerequisiteException.aspectj();
			}
			return new String[] { LockedMethodsConfiguration.class.getName(),
					woven ? WEAVING : ProxyConfiguration.class.getName() };
		}

	}

	// Matches unless locks are off. Reads the property as it is bound (yes, on and 1 are
	// true), so that what is neither stops the startup: locks must not be off by mistake
	static final class OnEnabledCondition extends SpringBootCondition {

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			boolean on = Binder.get(context.getEnvironment())
				.bind(HoldfastProperties.ENABLED, Boolean.class)
				.orElse(true);
			return new ConditionOutcome(on, "'%s' is '%s'".formatted(HoldfastProperties.ENABLED, on));
		}

	}

}
