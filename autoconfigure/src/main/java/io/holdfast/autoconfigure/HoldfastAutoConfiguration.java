package io.holdfast.autoconfigure;

import java.util.UUID;

import io.holdfast.LockListener;
import io.holdfast.LockRegistry;
import io.holdfast.LockTemplate;
import io.holdfast.aop.DistributedLockAdvisor;
import io.holdfast.aop.LockDefaults;
import io.holdfast.aop.ProxyVisibilityCheck;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.LockStore;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for distributed locks.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@ConditionalOnBooleanProperty(name = "holdfast.enabled", matchIfMissing = true)
@EnableConfigurationProperties(HoldfastProperties.class)
@Import({ AutoProxyRegistrar.class, CommitGuardConfiguration.class })
public final class HoldfastAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockTemplate lockTemplate(LockRegistry registry, HoldfastProperties properties) {
		return new LockTemplate(registry, properties.getOnLost(), properties.isReleaseAfterTransaction());
	}

	/**
	 * Created before most other beans, and therefore without the properties bean: it
	 * would be created too early as well.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static DistributedLockAdvisor distributedLockAdvisor(ConfigurableBeanFactory beanFactory,
			ObjectProvider<LockTemplate> template, ObjectProvider<HoldfastProperties> properties,
			Environment environment) {
		int order = Binder.get(environment)
			.bind("holdfast.aspect.order", Integer.class)
			.orElse(HoldfastProperties.Aspect.DEFAULT_ORDER);
		return new DistributedLockAdvisor(beanFactory, template::getObject, () -> lockDefaults(properties.getObject()),
				HoldfastLockRegistry::releaseAside, HoldfastLockRegistry::noteUnused, order);
	}

	private static LockDefaults lockDefaults(HoldfastProperties properties) {
		return new LockDefaults(properties.getLease(), properties.getWaitFor(), properties.isAutoRenew(),
				properties.getMaxHold());
	}

	/**
	 * Code that AspectJ weaves into a class sees all of its methods.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnProperty(name = "holdfast.aspect.mode", havingValue = "proxy", matchIfMissing = true)
	static ProxyVisibilityCheck distributedLockVisibilityCheck(ConfigurableListableBeanFactory beanFactory) {
		return new ProxyVisibilityCheck(beanFactory);
	}

	/**
	 * All that a registry of the user's own does without.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean(LockRegistry.class)
	@Import({ LocalLockStoreConfiguration.class, QuorumLockStoreConfiguration.class,
			RedisLockStoreConfiguration.class })
	static class EngineConfiguration {

		@Bean
		InstanceId holdfastInstanceId() {
			return new InstanceId(UUID.randomUUID().toString());
		}

		@Bean
		HoldfastLockRegistry lockRegistry(ObjectProvider<LockStore> store, InstanceId instance,
				HoldfastProperties properties, ObjectProvider<LockListener> listeners) {
			return new HoldfastLockRegistry(store.getIfAvailable(() -> {
				throw new MissingLockStoreException();
			}), settings(instance, properties), () -> listeners.orderedStream().toList());
		}

		@Bean
		LockLifecycle lockLifecycle(HoldfastLockRegistry registry, HoldfastProperties properties) {
			return new LockLifecycle(registry, properties.getShutdownGrace());
		}

		@Bean
		LockLostEventPublisher lockLostEventPublisher(ApplicationEventPublisher publisher) {
			return new LockLostEventPublisher(publisher);
		}

		private static EngineSettings settings(InstanceId instance, HoldfastProperties properties) {
			return new EngineSettings(instance.value(), properties.getLease(), properties.getWaitFor(),
					properties.isAutoRenew(), properties.getMaxHold(), properties.isFair(), properties.getOnLost(),
					properties.getLocalHandoffs());
		}

	}

}
