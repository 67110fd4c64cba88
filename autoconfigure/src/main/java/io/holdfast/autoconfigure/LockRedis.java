package io.holdfast.autoconfigure;

import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.HoldfastRedis;
import io.holdfast.autoconfigure.MissingPrerequisiteFailureAnalyzer.MissingPrerequisiteException;
import io.holdfast.redis.connection.LockConnectionFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The Redis that keeps locks.
 *
 * @param connectionFactory the application's connections to it
 * @param chosen whether it was chosen for locks: not all of {@code spring.data.redis.*}
 * need apply to it
 */
record LockRedis(RedisConnectionFactory connectionFactory, boolean chosen) {

	// Return the one that is named, or else the one that is marked, or the application's
	static LockRedis of(@Nullable String name, ObjectProvider<RedisConnectionFactory> ofApplication,
			ListableBeanFactory beans) {
		RedisConnectionFactory chosen = (name != null) ? named(name, beans) : marked(beans);
		RedisConnectionFactory connectionFactory = (chosen != null) ? chosen : ofApplication.getIfUnique();
		if (connectionFactory == null) {
			throw MissingPrerequisiteException.lockStore();
		}
		return new LockRedis(connectionFactory, chosen != null);
	}

	// Injection would pass over a marked bean that is no candidate for it, or that is
	// declared with another type
	private static @Nullable RedisConnectionFactory marked(ListableBeanFactory beans) {
		String[] marked = namesOfMarked(beans).toArray(String[]::new);
		if (marked.length == 0) {
			return null;
		}
		if (marked.length > 1) {
			throw MissingPrerequisiteException.mark("several beans have it", marked);
		}
		if (!(beans.getBean(marked[0]) instanceof RedisConnectionFactory factory)) {
			throw MissingPrerequisiteException.mark("a bean of another type has it", marked);
		}
		return factory;
	}

	// A FactoryBean is not asked for the type of its object: that would create it
	static Stream<String> namesOfMarked(ListableBeanFactory beans) {
		Stream<String> own = Stream.of(beans.getBeanDefinitionNames())
			.filter((name) -> beans.findAnnotationOnBean(name, HoldfastRedis.class, false) != null);
		return (beans instanceof HierarchicalBeanFactory child
				&& child.getParentBeanFactory() instanceof ListableBeanFactory parent)
						? Stream.concat(own, namesOfMarked(parent)) : own;
	}

	private static RedisConnectionFactory named(String name, ListableBeanFactory beans) {
		if (!beans.containsBean(name)) {
			throw refused(name, "There is no bean of this name", beans);
		}
		Object bean = beans.getBean(name);
		if (!(bean instanceof RedisConnectionFactory factory)) {
			throw refused(name, "This bean is not a RedisConnectionFactory, but a " + bean.getClass().getName(), beans);
		}
		return factory;
	}

	private static InvalidConfigurationPropertyValueException refused(String name, String reason,
			ListableBeanFactory beans) {
		String names = Stream
			.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, RedisConnectionFactory.class, true, false))
			.filter((candidate) -> !beans.isTypeMatch(candidate, LockConnectionFactory.class))
			.sorted()
			.collect(Collectors.joining(", "));
		return new InvalidConfigurationPropertyValueException("holdfast.redis.connection-factory", name,
				"%s. RedisConnectionFactory beans: %s.".formatted(reason, names.isEmpty() ? "none" : names));
	}

}
