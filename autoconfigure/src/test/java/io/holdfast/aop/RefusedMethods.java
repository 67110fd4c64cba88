package io.holdfast.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Asserts that methods are refused at startup.
 */
final class RefusedMethods {

	private RefusedMethods() {
	}

	static Stream<Method> in(Class<?>... types) {
		return Stream.of(types)
			.flatMap((type) -> Arrays.stream(type.getDeclaredMethods()))
			.filter((method) -> method.isAnnotationPresent(Refused.class));
	}

	/**
	 * Return methods that are read and not called.
	 */
	static LockedMethods methods(DefaultListableBeanFactory beans) {
		return new LockedMethods(beans, () -> {
			throw new AssertionError("No method is called");
		}, () -> new LockDefaults(Duration.ofSeconds(30), Duration.ofSeconds(5), true, null, true, "test"));
	}

	static void assertRefused(Method method, String... words) {
		LockedMethods methods = methods(new DefaultListableBeanFactory());
		Class<?> type = method.getDeclaringClass();
		assertThatExceptionOfType(InvalidDistributedLockException.class).isThrownBy(() -> methods.get(method, type))
			.satisfies((ex) -> {
				assertThat(ex).hasMessageContaining(Methods.nameOf(method));
				assertThat(ex.getAction()).isNotBlank();
				assertThat(ex.getMessage() + " " + ex.getAction()).contains(words);
			});
	}

	/**
	 * On a method whose annotation cannot work: what a user must be told.
	 */
	@Retention(RetentionPolicy.RUNTIME)
	@interface Refused {

		String[] value();

	}

}
