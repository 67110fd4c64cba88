package io.holdfast.aop;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.LockInterruptedException;
import io.holdfast.LockMode;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.LockUpgradeException;
import io.holdfast.OnFailure;
import io.holdfast.engine.HoldfastLockRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * {@code onFailure = SKIP}, and what else becomes of a call without its lock.
 */
class SkipTests {

	private static final String LOCKED = "skip-locked";

	private static final String OTHER = "skip-other";

	private final ApplicationContextRunner runner = LocalApplication.with(Calls.class);

	static Stream<Arguments> emptyResults() {
		return Stream.of(result(Calls::text, "run", null), result(Calls::list, List.of(1), List.of()),
				result(Calls::int32, 1, 0), result(Calls::optional, Optional.of(1), Optional.empty()));
	}

	private static Arguments result(Function<Calls, Object> call, Object usual, Object empty) {
		return Arguments.of(call, usual, empty);
	}

	@ParameterizedTest
	@MethodSource("emptyResults")
	void skippedMethodReturnsAnEmptyResult(Function<Calls, Object> call, Object usual, Object empty) {
		this.runner.run((context) -> {
			Calls calls = context.getBean(Calls.class);
			assertThat(call.apply(calls)).isEqualTo(usual);
			assertThat(calls.count()).isOne();
			LocalApplication.whileHeldElsewhere(context, LOCKED, () -> assertThat(call.apply(calls)).isEqualTo(empty));
			assertThat(calls.count()).isOne();
		});
	}

	@Test
	void skippedMethodWithoutAResultDoesNothing() {
		this.runner.run((context) -> {
			Calls calls = context.getBean(Calls.class);
			LocalApplication.whileHeldElsewhere(context, LOCKED, calls::nothing);
			assertThat(calls.count()).isZero();
			calls.nothing();
			assertThat(calls.count()).isOne();
		});
	}

	@Test
	void unlessSkippedTheCallEndsWithAnException() {
		this.runner.run((context) -> {
			Calls calls = context.getBean(Calls.class);
			LocalApplication.whileHeldElsewhere(context, LOCKED,
					() -> assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(calls::throwing)
						.satisfies((ex) -> assertThat(ex.getKey()).isEqualTo(LOCKED)));
			assertThat(calls.count()).isZero();
		});
	}

	@Test
	void refusalOfAnotherLockInTheMethodIsNotSkipped() {
		this.runner.run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			Calls calls = context.getBean(Calls.class);
			LocalApplication.whileHeldElsewhere(context, OTHER,
					() -> assertThatExceptionOfType(LockNotAcquiredException.class)
						.isThrownBy(() -> calls.running(() -> template.acquire(OTHER)))
						.satisfies((ex) -> assertThat(ex.getKey()).isEqualTo(OTHER)));
		});
	}

	@Test
	void refusalOfTheSameLockInTheMethodIsNotSkipped() {
		this.runner.run((context) -> {
			Calls calls = context.getBean(Calls.class);
			LockNotAcquiredException own = new LockNotAcquiredException(LOCKED, Duration.ZERO, null);
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> calls.running(() -> {
				throw own;
			})).isSameAs(own);
		});
	}

	@Test
	void skippedCallInAMethodIsNoFailureOfThatMethod() {
		this.runner.run((context) -> {
			Calls calls = context.getBean(Calls.class);
			LocalApplication.whileHeldElsewhere(context, OTHER,
					() -> assertThat(calls.running(calls::skippedOther)).isEqualTo("run"));
		});
	}

	@Test
	void interruptionIsNotSkipped() {
		this.runner.withPropertyValues("holdfast.wait-for=30s").run((context) -> {
			Calls calls = context.getBean(Calls.class);
			LocalApplication.whileHeldElsewhere(context, LOCKED, () -> {
				Thread.currentThread().interrupt();
				assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(calls::text);
				assertThat(Thread.interrupted()).isTrue();
			});
		});
	}

	@Test
	void refusedUpgradeIsNotSkipped() {
		this.runner.run((context) -> {
			Calls calls = context.getBean(Calls.class);
			LockRequest shared = LockRequest.of(LOCKED).mode(LockMode.SHARED);
			context.getBean(LockTemplate.class)
				.executeWithoutResult(shared,
						(lock) -> assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(calls::text));
		});
	}

	@Test
	void lockThatCannotBeAskedForIsNotSkipped() {
		this.runner.run((context) -> {
			Calls calls = context.getBean(Calls.class);
			context.getBean(HoldfastLockRegistry.class).close();
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(calls::text);
		});
	}

	@Test
	void unusableKeyIsNotSkipped() {
		this.runner.run((context) -> assertThatIllegalArgumentException()
			.isThrownBy(() -> context.getBean(Calls.class).keyed(" "))
			.withMessageContaining("blank key"));
	}

	static class Calls {

		private int count;

		int count() {
			return this.count;
		}

		private <T> T run(T result) {
			this.count++;
			return result;
		}

		@DistributedLock(key = "'skip-locked'", onFailure = OnFailure.SKIP)
		void nothing() {
			this.count++;
		}

		@DistributedLock(key = "'skip-locked'", onFailure = OnFailure.THROW)
		void throwing() {
			this.count++;
		}

		@DistributedLock(key = "'skip-locked'", onFailure = OnFailure.SKIP)
		String text() {
			return run("run");
		}

		@DistributedLock(key = "'skip-locked'", onFailure = OnFailure.SKIP)
		List<Integer> list() {
			return run(List.of(1));
		}

		@DistributedLock(key = "'skip-locked'", onFailure = OnFailure.SKIP)
		int int32() {
			return run(1);
		}

		@DistributedLock(key = "'skip-locked'", onFailure = OnFailure.SKIP)
		Optional<Integer> optional() {
			return run(Optional.of(1));
		}

		@DistributedLock(key = "'skip-locked'", onFailure = OnFailure.SKIP)
		String running(Runnable body) {
			body.run();
			return run("run");
		}

		@DistributedLock(key = "'skip-other'", onFailure = OnFailure.SKIP)
		void skippedOther() {
			throw new IllegalStateException("Must not be run");
		}

		@DistributedLock(key = "#key", onFailure = OnFailure.SKIP)
		String keyed(String key) {
			return run(key);
		}

	}

}
