package io.holdfast.aop;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.holdfast.DistributedLock;
import io.holdfast.LockException;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.OnFailure;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.test.RecordedLog;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * {@code onUnavailable}, and fallbacks that take any {@link LockException}: what becomes
 * of a call whose lock cannot be asked for.
 */
class UnavailableTests {

	private static final String LOCKED = "unavailable-locked";

	private final ApplicationContextRunner runner = LocalApplication.with(Calls.class);

	private void whenUnavailable(CallsTest test) {
		this.runner.run((context) -> {
			context.getBean(HoldfastLockRegistry.class).close();
			Calls calls = context.getBean(Calls.class);
			test.run(calls);
			assertThat(calls.count()).isZero();
		});
	}

	@Test
	void callEndsWithTheExceptionUnlessToldOtherwise() {
		whenUnavailable((calls) -> {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(calls::throwing);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(calls::skippedWhenNotAcquired);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(calls::fallingBackWhenNotAcquired);
		});
	}

	@Test
	void skippedCallReturnsAnEmptyResult() {
		whenUnavailable((calls) -> {
			assertThat(calls.skipped()).isEmpty();
			assertThat(calls.skippedStage().join()).isEmpty();
			assertThat(calls.skippedPublisher().blockOptional()).isEmpty();
		});
	}

	@Test
	void logSaysThatTheMethodWasNotCalled() {
		whenUnavailable((calls) -> {
			try (RecordedLog log = new RecordedLog()) {
				calls.skipped();
				assertThat(log.lines("Calls.skipped() was not called, because its lock is unavailable: "))
					.singleElement()
					.satisfies((line) -> assertThat(line.level()).isEqualTo("WARN"));
			}
		});
	}

	@Test
	void fallbackThatTakesAnyFailureIsCalled() {
		whenUnavailable((calls) -> {
			assertThat(calls.fallingBack("x")).startsWith("x LockUnavailableException");
			assertThat(calls.fallingBackStage().join()).isEqualTo("LockUnavailableException");
			assertThat(calls.two("x")).isEqualTo("any x");
		});
	}

	@Test
	void lockThatIsTakenIsAnotherMatter() {
		this.runner.run((context) -> {
			Calls calls = context.getBean(Calls.class);
			LocalApplication.whileHeldElsewhere(context, LOCKED, () -> {
				assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(calls::skipped);
				assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> calls.skippedStage().join())
					.withCauseInstanceOf(LockNotAcquiredException.class);
				assertThat(calls.fallingBack("x")).startsWith("x LockNotAcquiredException");
				assertThat(calls.two("x")).isEqualTo("taken x");
			});
		});
	}

	@Test
	void exceptionOfAnotherLockInTheMethodIsThrown() {
		this.runner.run((context) -> {
			Calls calls = context.getBean(Calls.class);
			LockUnavailableException other = new LockUnavailableException("another lock", null);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> calls.running(() -> {
				throw other;
			})).isSameAs(other);
		});
	}

	@Test
	void templateTellsByABooleanWhetherItRan() {
		this.runner.withPropertyValues("holdfast.wait-for=30s").run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			assertThat(template.tryExecuteWithoutResult(LOCKED, (lock) -> assertThat(lock.isHeld()).isTrue())).isTrue();
			LocalApplication.whileHeldElsewhere(context, LOCKED, () -> {
				assertThat(template.tryExecuteWithoutResult(LOCKED, (lock) -> {
					throw new IllegalStateException("Must not be run");
				})).isFalse();
				assertThat(template.tryAcquire(LOCKED)).isEmpty();
				assertThat(template.tryAcquire(LockRequest.of(LOCKED))).isEmpty();
			});
			assertThat(template.tryAcquire(LOCKED)).hasValueSatisfying((lock) -> lock.close());
		});
	}

	@FunctionalInterface
	private interface CallsTest {

		void run(Calls calls);

	}

	static class Calls {

		private int count;

		int count() {
			return this.count;
		}

		@DistributedLock("'unavailable-locked'")
		public void throwing() {
			this.count++;
		}

		@DistributedLock(key = "'unavailable-locked'", onFailure = OnFailure.SKIP)
		public void skippedWhenNotAcquired() {
			this.count++;
		}

		@DistributedLock(key = "'unavailable-locked'", fallback = "none")
		public void fallingBackWhenNotAcquired() {
			this.count++;
		}

		void none() {
			throw new IllegalStateException("Must not be run");
		}

		@DistributedLock(key = "'unavailable-locked'", onUnavailable = OnFailure.SKIP)
		public List<String> skipped() {
			this.count++;
			return List.of("run");
		}

		@DistributedLock(key = "'unavailable-locked'", onUnavailable = OnFailure.SKIP)
		public CompletableFuture<List<String>> skippedStage() {
			this.count++;
			return CompletableFuture.completedFuture(List.of("run"));
		}

		@DistributedLock(key = "'unavailable-locked'", onUnavailable = OnFailure.SKIP)
		public Mono<String> skippedPublisher() {
			this.count++;
			return Mono.just("run");
		}

		@DistributedLock(key = "'unavailable-locked'", fallback = "instead")
		public String fallingBack(String argument) {
			this.count++;
			return "run";
		}

		String instead(String argument, LockException failure) {
			return argument + " " + failure.getClass().getSimpleName();
		}

		@DistributedLock(key = "'unavailable-locked'", fallback = "instead")
		public CompletableFuture<String> fallingBackStage() {
			this.count++;
			return CompletableFuture.completedFuture("run");
		}

		CompletableFuture<String> instead(LockException failure) {
			return CompletableFuture.completedFuture(failure.getClass().getSimpleName());
		}

		@DistributedLock(key = "'unavailable-locked'", fallback = "either")
		public String two(String argument) {
			this.count++;
			return "run";
		}

		String either(String argument, LockNotAcquiredException failure) {
			return "taken " + argument;
		}

		String either(String argument, LockException failure) {
			return "any " + argument;
		}

		@DistributedLock(key = "'unavailable-locked'", onUnavailable = OnFailure.SKIP)
		public void running(Runnable body) {
			body.run();
		}

	}

}
