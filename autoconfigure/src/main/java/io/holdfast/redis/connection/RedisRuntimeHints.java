package io.holdfast.redis.connection;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Registers what a native image needs for locks on Redis: the scripts, the classes that
 * reveal which client is present, and the fields that say where Lettuce connects to.
 */
final class RedisRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources().registerPattern("io/holdfast/redis/*.lua");
		hints.reflection()
			.registerTypeIfPresent(classLoader, "io.lettuce.core.RedisClient", MemberCategory.ACCESS_DECLARED_FIELDS);
		hints.reflection()
			.registerTypeIfPresent(classLoader,
					"org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory",
					MemberCategory.ACCESS_DECLARED_FIELDS);
	}

}
