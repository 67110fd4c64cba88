package io.holdfast.jdbc;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

import io.holdfast.LockRegistry;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.autoconfigure.HoldfastProperties;
import io.holdfast.autoconfigure.HoldfastProperties.Store;
import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStoreException;
import io.holdfast.jdbc.JdbcLocksFailureAnalyzer.UnusableDatabaseException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.sql.DataSource;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ClassUtils;

/**
 * Auto-configuration for locks in a database of the application.
 *
 * @since 0.1.0
 */
@AutoConfiguration(before = HoldfastAutoConfiguration.class,
		afterName = { "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
				"org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration" })
@ConditionalOnBooleanProperty(name = "holdfast.enabled", matchIfMissing = true)
@Conditional(JdbcLocksAutoConfiguration.OnDatabaseCondition.class)
@ConditionalOnMissingBean({ LockStore.class, LockRegistry.class })
@EnableConfigurationProperties({ HoldfastProperties.class, JdbcLocksProperties.class })
@Import(DatabaseInitializationDependencyConfigurer.class)
@ImportRuntimeHints(JdbcLocksAutoConfiguration.SchemaHints.class)
public final class JdbcLocksAutoConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(JdbcLocksAutoConfiguration.class);

	private static final long LONGEST_ANSWER = TimeUnit.SECONDS.toMillis(10);

	// Longer than databases are told to wait for a row
	private static final long SHORTEST_ANSWER = 1500;

	private static final int RENEWALS_IN_A_LEASE = 3;

	private static DataSource dataSource(@Nullable String name, ListableBeanFactory beans) {
		DataSource chosen = (name == null) ? beans.getBeanProvider(DataSource.class).getIfUnique()
				: beans.containsBean(name) && beans.getBean(name) instanceof DataSource named ? named : null;
		if (chosen != null && !ConnectionSource.isRouting(chosen)) {
			return chosen;
		}
		String problem = (chosen != null) ? "the DataSource bean leads each thread to a database of its own"
				: (name != null) ? "there is no DataSource bean '" + name + "' ('holdfast.jdbc.datasource')"
						: "there is no DataSource bean, or none is primary among several";
		throw new UnusableDatabaseException(
				"Locks are to be kept in a database, but %s. DataSource beans: %s.".formatted(problem,
						Arrays.asList(beans.getBeanNamesForType(DataSource.class, true, false))),
				"Add a starter that brings a DataSource, such as spring-boot-starter-jdbc, and a driver, and configure"
						+ " 'spring.datasource.*'. Choose one of several DataSource beans by @Primary or"
						+ " 'holdfast.jdbc.datasource'.",
				null);
	}

	@Bean
	@Nullable LockTableInitializer holdfastLockTableInitializer(JdbcLocksProperties properties, ListableBeanFactory beans) {
		return LockTableInitializer.of(dataSource(properties.getDatasource(), beans), properties);
	}

	@Bean
	@DependsOnDatabaseInitialization
	JdbcLockStore holdfastLockStore(HoldfastProperties holdfast, JdbcLocksProperties properties,
			ListableBeanFactory beans) {
		if (holdfast.keyPrefix().length() > RowKeys.LONGEST_PREFIX) {
			throw new InvalidConfigurationPropertyValueException("holdfast.key-prefix", holdfast.keyPrefix(),
					"It must not have more than %d characters where locks are in a database."
						.formatted(RowKeys.LONGEST_PREFIX));
		}
		ConnectionSource source = new ConnectionSource(dataSource(properties.getDatasource(), beans));
		JdbcLockStore store = new JdbcLockStore(source, properties.getTablePrefix(), holdfast.keyPrefix(),
				holdfast.tokenRetention(), timeout(holdfast.lease()), properties.isGuardCommits());
		logger.info("Locks are kept in table {} of {} (lease {} ms), over {}", properties
			.getTablePrefix() + "lock", store.database(), holdfast.lease().toMillis(), source.isOwn()
					? "a few connections of their own"
					: "connections that they borrow from the application's DataSource, as they cannot be made like those");
		LockStoreException mistake = store.mistake();
		if (mistake != null) {
			logger.warn("Locks cannot be acquired so far: {}", mistake.getMessage());
		}
		return store;
	}

	// No answer that is waited for costs a lease, unless that is very short
	private static Duration timeout(Duration lease) {
		return Duration
			.ofMillis(Math.max(SHORTEST_ANSWER, Math.min(LONGEST_ANSWER, lease.toMillis() / RENEWALS_IN_A_LEASE)));
	}

	/**
	 * Matches where locks are to be kept in a database, and where nothing says so and
	 * there is no Redis.
	 */
	static class OnDatabaseCondition extends SpringBootCondition implements ConfigurationCondition {

		private static final String REDIS = "org.springframework.data.redis.connection.RedisConnectionFactory";

		@Override
		public ConfigurationPhase getConfigurationPhase() {
			return ConfigurationPhase.REGISTER_BEAN;
		}

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			Binder binder = Binder.get(context.getEnvironment());
			ConditionMessage.Builder message = ConditionMessage.forCondition("Holdfast store");
			BindResult<Store> store = binder.bind("holdfast.store", Store.class);
			if (store.isBound()) {
				return new ConditionOutcome(store.get() == Store.JDBC, message.because("it is " + store.get()));
			}
			if (binder.bind("holdfast.redis.nodes", Bindable.listOf(String.class)).isBound()) {
				return ConditionOutcome.noMatch(message.because("there are independent masters"));
			}
			boolean hasRedis = hasRedis(context);
			if (hasRedis) {
				logger.warn("Locks are kept in Redis, not by holdfast-jdbc: set 'holdfast.store' to choose");
			}
			return new ConditionOutcome(!hasRedis, message.because("none is set"));
		}

		private static boolean hasRedis(ConditionContext context) {
			ClassLoader classLoader = context.getClassLoader();
			ConfigurableListableBeanFactory beans = context.getBeanFactory();
			return beans != null && ClassUtils.isPresent(REDIS, classLoader) && beans
				.getBeanNamesForType(ClassUtils.resolveClassName(REDIS, classLoader), true, false).length > 0;
		}

	}

	/**
	 * Names the schema scripts for native images.
	 */
	static class SchemaHints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.resources().registerPattern("io/holdfast/jdbc/*.sql");
		}

	}

}
