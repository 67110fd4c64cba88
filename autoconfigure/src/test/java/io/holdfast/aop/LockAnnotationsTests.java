package io.holdfast.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

import io.holdfast.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Classes that have annotations somewhere.
 */
class LockAnnotationsTests {

	@ParameterizedTest
	@ValueSource(classes = { OnMethod.class, Inheriting.class, Implementing.class, OnType.class, Composing.class,
			Repeating.class, Extending.class })
	void areFoundWhereverTheyStand(Class<?> type) {
		assertThat(LockAnnotations.areIn(type)).isTrue();
	}

	@Test
	void areNotFoundWhereThereAreNone() {
		assertThat(LockAnnotations.areIn(None.class)).isFalse();
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

	static class Repeating {

		@DistributedLock("'a'")
		@DistributedLock("'b'")
		void work() {
		}

	}

	static class None implements Runnable {

		@Override
		@Deprecated
		public void run() {
		}

	}

}
