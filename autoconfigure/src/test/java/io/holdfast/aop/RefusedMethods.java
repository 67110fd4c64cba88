package io.holdfast.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;

import io.holdfast.RunOnce;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Methods with {@link Refused}, each a row of a test.
 */
final class RefusedMethods {

	private RefusedMethods() {
	}

	static Stream<Method> in(Class<?> type) {
		return Arrays.stream(type.getDeclaredMethods()).filter((method) -> method.isAnnotationPresent(Refused.class));
	}

	static void assertRefused(Method method) {
		Refused refused = method.getAnnotation(Refused.class);
		assertRefused(method.getDeclaringClass(), method, refused.attribute(), refused.problem(), refused.action());
	}

	/**
	 * The problem may contain the name of the class as TYPE.
	 */
	static void assertRefused(Class<?> type, Method method, String attribute, String problem, String action) {
		String name = type.getName();
		LockedMethods methods = new LockedMethods(new DefaultListableBeanFactory(), () -> {
			throw new AssertionError("No method is called");
		}, () -> new LockDefaults(Duration.ofSeconds(30), Duration.ofSeconds(5), true, null, true, "test"));
		assertThatExceptionOfType(InvalidDistributedLockException.class).isThrownBy(() -> methods.get(method, type))
			.satisfies((ex) -> {
				assertThat(ex.getMessage()).isEqualTo("%s@%s on %s %s".formatted(
						attribute.isEmpty() ? "" : "The attribute '%s' of ".formatted(attribute),
						method.isAnnotationPresent(RunOnce.class) ? "RunOnce" : "DistributedLock",
						Methods.nameOf(method), problem.replace("TYPE", name)));
				assertThat(ex.getAction()).isEqualTo(action.replace("TYPE", name));
			});
	}

}
