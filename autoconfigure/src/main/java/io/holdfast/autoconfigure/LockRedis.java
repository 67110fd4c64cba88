package io.holdfast.autoconfigure;

import java.util.List;
import java.util.stream.Stream;

import io.holdfast.HoldfastRedis;
import io.holdfast.autoconfigure.MissingPrerequisiteFailureAnalyzer.MissingPrerequisiteException;
import io.holdfast.redis.connection.LockConnectionFactory;

import org.springframework.beans.factory.BeanFactoryUtils;
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

	/**
	 * Return the one with a name.
	 */
	static LockRedis named(String name, ListableBeanFactory beans) {
		if (!beans.containsBean(name)) {
			throw refused(name, "There is no bean of this name", beans);
		}
		Object bean = beans.getBean(name);
		if (!(bean instanceof RedisConnectionFactory factory)) {
			throw refused(name, "This bean is not a RedisConnectionFactory, but a " + bean.getClass().getName(), beans);
		}
		return new LockRedis(factory, true);
	}

	private static InvalidConfigurationPropertyValueException refused(String name, String reason,
			ListableBeanFactory beans) {
		List<String> names = names(beans,
				BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, RedisConnectionFactory.class, true, false));
		return new InvalidConfigurationPropertyValueException("holdfast.redis.connection-factory", name,
				"%s. RedisConnectionFactory beans: %s.".formatted(reason,
						names.isEmpty() ? "none" : String.join(", ", names)));
	}

	/**
	 * Return the one that is marked, or else the application's.
	 */
	static LockRedis of(List<RedisConnectionFactory> marked, ObjectProvider<RedisConnectionFactory> ofApplication,
			ListableBeanFactory beans) {
		if (marked.size() > 1) {
			throw MissingPrerequisiteException.choice(names(beans,
					BeanFactoryUtils.beanNamesForAnnotationIncludingAncestors(beans, HoldfastRedis.class)));
		}
		if (!marked.isEmpty()) {
			return new LockRedis(marked.get(0), true);
		}
		RedisConnectionFactory application = ofApplication.getIfUnique();
		if (application == null) {
			throw MissingPrerequisiteException.lockStore();
		}
		return new LockRedis(application, false);
	}

	/**
	 * Without what is made for locks after such a bean.
	 */
	private static List<String> names(ListableBeanFactory beans, String[] candidates) {
		return Stream.of(candidates)
			.filter((name) -> beans.isTypeMatch(name, RedisConnectionFactory.class)
					&& !beans.isTypeMatch(name, LockConnectionFactory.class))
			.sorted()
			.toList();
	}

}
