package io.holdfast.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;

import io.holdfast.DistributedLock;
import io.holdfast.RunOnce;
import io.holdfast.autoconfigure.FailureAnalyses;
import io.holdfast.test.ContradictingLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.BeanDefinitionStoreException;
import org.springframework.beans.factory.support.SimpleBeanDefinitionRegistry;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.annotation.ClassPathBeanDefinitionScanner;
import org.springframework.core.type.filter.AssignableTypeFilter;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Classes that have annotations somewhere.
 */
class LockAnnotationsTests {

	@ParameterizedTest
	@ValueSource(classes = { OnMethod.class, Inheriting.class, Implementing.class, OnType.class, Composing.class,
			Extending.class })
	void areFoundWhereverTheyStand(Class<?> type) {
		assertThat(LockAnnotations.areIn(type)).isTrue();
	}

	@Test
	void areNotFoundWhereThereAreNone() {
		assertThat(LockAnnotations.areIn(None.class)).isFalse();
	}

	@Test
	void keyAndValueMustNotContradictEachOther() throws NoSuchMethodException {
		Method method = ContradictingLock.class.getDeclaredMethod("work");
		assertThatExceptionOfType(InvalidDistributedLockException.class)
			.isThrownBy(() -> LockAnnotations.of(method, ContradictingLock.class))
			.satisfies((ex) -> {
				assertThat(ex.getMessage()).endsWith("is set, and 'value' is set to something else");
				assertThat(ex.getAction()).isEqualTo("Set only one of them: they mean the same.");
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "ownAndComposed", "onceAndLocked", "ofType" })
	void differentOnesAreRefused(String name) {
		Method method = ReflectionUtils.findMethod(Twice.class, name);
		assertThatExceptionOfType(InvalidDistributedLockException.class)
			.isThrownBy(() -> LockAnnotations.of(method, Twice.class))
			.withMessageStartingWith("Several annotations for a lock apply to %s.%s() and differ: all are on "
				.formatted(Twice.class.getName(), name))
			.satisfies((ex) -> assertThat(ex.getAction()).startsWith("Keep one of them."));
	}

	@Test
	void equalOnesAreOne() throws NoSuchMethodException {
		LockAnnotations found = LockAnnotations.of(Twice.class.getDeclaredMethod("alike"), Twice.class);
		assertThat(found.annotation().key()).isEqualTo("'a'");
	}

	/**
	 * Spring refuses it there before anybody asks for it.
	 */
	@Test
	void contradictionIsExplainedWhereItsClassIsScanned() {
		ClassPathBeanDefinitionScanner scanner = new ClassPathBeanDefinitionScanner(new SimpleBeanDefinitionRegistry(),
				false);
		scanner.addIncludeFilter(new AssignableTypeFilter(ContradictingLock.class));
		assertThatExceptionOfType(BeanDefinitionStoreException.class)
			.isThrownBy(() -> scanner.scan(ContradictingLock.class.getPackageName()))
			.satisfies((ex) -> {
				FailureAnalysis analysis = FailureAnalyses.of(ex);
				assertThat(analysis.getDescription()).contains(ContradictingLock.class.getSimpleName(),
						DistributedLock.class.getName(), "'key'", "'value'");
				assertThat(analysis.getAction())
					.isEqualTo("Set only one of 'key' and 'value' of @DistributedLock: they mean the same.");
			});
	}

	static class OnMethod {

		@DistributedLock("'a'")
		private void work() {
		}

	}

	static class Inheriting extends OnMethod {

	}

	interface Contract {

		@DistributedLock("'a'")
		default void work() {
		}

	}

	interface Extended extends Contract {

	}

	static class Implementing implements Extended {

	}

	static class Extending extends Implementing {

	}

	@DistributedLock("'a'")
	static class OnType {

	}

	@DistributedLock("'a'")
	@Retention(RetentionPolicy.RUNTIME)
	@interface Composed {

	}

	static class Composing {

		@Composed
		void work() {
		}

	}

	@Composed
	@DistributedLock("'b'")
	static class Twice {

		@Composed
		@DistributedLock("'b'")
		void ownAndComposed() {
		}

		@RunOnce(per = "1h")
		@DistributedLock("'a'")
		void onceAndLocked() {
		}

		@Composed
		@DistributedLock("'a'")
		void alike() {
		}

		public void ofType() {
		}

	}

	static class None implements Runnable {

		@Override
		@Deprecated
		public void run() {
		}

	}

}
