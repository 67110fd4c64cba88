package io.holdfast.aop;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.DistributedLock;
import io.holdfast.LockInterruptedException;
import io.holdfast.LockMode;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.LockUpgradeException;
import io.holdfast.OnFailure;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.test.RecordedLog;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.BeanFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Calls whose lock is not acquired or unavailable: which of them are skipped, and which
 * end with an exception.
 */
class SkipTests {

	private static final String LOCKED = "skip-locked";

	private static final String OTHER = "skip-other";

	private static void run(CallsTest test) {
		LocalApplication.with(Calls.class).withPropertyValues("holdfast.wait-for=0").run((context) -> {
			Calls calls = context.getBean(Calls.class);
			test.run(calls, context);
			assertThat(context.getBean(LockRegistry.class).held()).isEmpty();
		});
	}

	private static void whileTaken(String key, CallsTest test) {
		run((calls, context) -> LocalApplication.whileHeldElsewhere(context, key, () -> test.run(calls, context)));
	}

	private static void whenUnavailable(CallsTest test) {
		run((calls, context) -> {
			context.getBean(HoldfastLockRegistry.class).close();
			test.run(calls, context);
			assertThat(calls.count()).isZero();
		});
	}

	@Test
	void callRunsWithItsLock() {
		run((calls, context) -> {
			calls.nothing();
			assertThat(calls.list()).containsExactly(1);
			assertThat(calls.zero()).isOne();
			assertThat(calls.count()).isEqualTo(3);
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> calls.run(() -> {
				throw new IOException("checked");
			})).withMessage("checked").withNoCause().satisfies((ex) -> assertThat(ex.getSuppressed()).isEmpty());
		});
	}

	@Test
	void callWithoutItsLockIsSkippedOrEndsWithAnException() {
		whileTaken(LOCKED, (calls, context) -> {
			calls.nothing();
			assertThat(calls.list()).isEmpty();
			assertThat(calls.zero()).isZero();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(calls::throwing)
				.satisfies((ex) -> assertThat(ex.getKey()).isEqualTo(LOCKED));
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(calls::whenUnavailable);
			assertThatExceptionOfType(CompletionException.class).isThrownBy(calls.stageWhenUnavailable()::join)
				.withCauseInstanceOf(LockNotAcquiredException.class);
			assertThat(calls.count()).isZero();
		});
	}

	@Test
	void callWhoseLockIsUnavailableIsSkippedOnlyIfToldSo() {
		whenUnavailable((calls, context) -> {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(calls::throwing);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(calls::nothing);
			try (RecordedLog log = new RecordedLog()) {
				assertThat(calls.whenUnavailable()).isEmpty();
				assertThat(log.lines("whenUnavailable() was not called")).singleElement()
					.satisfies((line) -> assertThat(line.level()).isEqualTo("WARN"));
			}
			assertThat(calls.stageWhenUnavailable().join()).isEmpty();
			assertThat(calls.publisherWhenUnavailable().blockOptional()).isEmpty();
		});
	}

	@Test
	void callWhoseConditionIsFalseRunsWithoutTheLock() {
		whileTaken(LOCKED, (calls, context) -> {
			calls.nothing(true);
			assertThat(calls.count()).isZero();
			calls.nothing(false);
			assertThat(calls.count()).isOne();
		});
	}

	@Test
	void whatTheMethodItselfIsRefusedIsNotSkipped() {
		whileTaken(OTHER, (calls, context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> calls.run(() -> template.acquire(OTHER)))
				.satisfies((ex) -> assertThat(ex.getKey()).isEqualTo(OTHER));
			LockNotAcquiredException same = new LockNotAcquiredException(LOCKED, Duration.ZERO, null);
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> calls.run(() -> {
				throw same;
			})).isSameAs(same);
			LockUnavailableException unavailable = new LockUnavailableException("another lock", null);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> calls.run(() -> {
				throw unavailable;
			})).isSameAs(unavailable);
			assertThat(calls.run(calls::skippedOther)).isEqualTo(0);
		});
	}

	@Test
	void interruptionRefusedUpgradeAndUnusableKeyAreNotSkipped() {
		whileTaken(LOCKED, (calls, context) -> {
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(calls::patient);
			assertThat(Thread.interrupted()).isTrue();
			assertThatIllegalArgumentException().isThrownBy(() -> calls.keyed(" ")).withMessageContaining("blank");
		});
		run((calls, context) -> context.getBean(LockTemplate.class)
			.executeWithoutResult(LockRequest.of(LOCKED).mode(LockMode.SHARED),
					(lock) -> assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(calls::nothing)));
	}

	@Test
	void templateAndAnnotationShareTheLock() {
		run((calls, context) -> assertThat(
				context.getBean(LockTemplate.class).<Object, Exception>execute(LOCKED, (lock) -> {
					assertThat(calls.zero()).isOne();
					return lock.holdCount();
				}))
			.isEqualTo(1));
	}

	@Test
	void templateTellsByABooleanWhetherItRan() {
		whileTaken(LOCKED, (calls, context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			assertThat(template.tryExecuteWithoutResult(LOCKED, (lock) -> {
				throw new IllegalStateException("Must not be run");
			})).isFalse();
			assertThat(template.tryAcquire(LOCKED)).isEmpty();
			assertThat(template.tryAcquire(LockRequest.of(LOCKED))).isEmpty();
			assertThat(template.tryExecuteWithoutResult("free", (lock) -> assertThat(lock.isHeld()).isTrue())).isTrue();
		});
	}

	private interface CallsTest {

		void run(Calls calls, BeanFactory context) throws Exception;

	}

	static class Calls {

		private final AtomicInteger count = new AtomicInteger();

		int count() {
			return this.count.get();
		}

		@DistributedLock(key = "'skip-locked'", onFailure = OnFailure.SKIP)
		void nothing() {
			this.count.incrementAndGet();
		}

		@DistributedLock(key = "'skip-locked'", condition = "#locked", onFailure = OnFailure.SKIP)
		void nothing(boolean locked) {
			this.count.incrementAndGet();
		}

		@DistributedLock(key = "'skip-locked'", onFailure = OnFailure.SKIP)
		List<Integer> list() {
			return List.of(this.count.incrementAndGet() - 1);
		}

		@DistributedLock(key = "'skip-locked'", onFailure = OnFailure.SKIP)
		int zero() {
			this.count.incrementAndGet();
			return 1;
		}

		@DistributedLock(key = "'skip-locked'", onFailure = OnFailure.SKIP, waitFor = "-1")
		void patient() {
			this.count.incrementAndGet();
		}

		@DistributedLock(key = "'skip-locked'", onFailure = OnFailure.THROW)
		void throwing() {
			this.count.incrementAndGet();
		}

		@DistributedLock(key = "'skip-locked'", onUnavailable = OnFailure.SKIP)
		List<String> whenUnavailable() {
			this.count.incrementAndGet();
			return List.of("run");
		}

		@DistributedLock(key = "'skip-locked'", onUnavailable = OnFailure.SKIP)
		CompletableFuture<List<String>> stageWhenUnavailable() {
			return CompletableFuture.completedFuture(whenUnavailable());
		}

		@DistributedLock(key = "'skip-locked'", onUnavailable = OnFailure.SKIP)
		Mono<List<String>> publisherWhenUnavailable() {
			return Mono.just(whenUnavailable());
		}

		@DistributedLock(key = "'skip-locked'", onFailure = OnFailure.SKIP, onUnavailable = OnFailure.SKIP)
		Object run(Callable<?> body) throws Exception {
			return body.call();
		}

		@DistributedLock(key = "'skip-other'", onFailure = OnFailure.SKIP)
		int skippedOther() {
			throw new IllegalStateException("Must not be run");
		}

		@DistributedLock(key = "#key", onFailure = OnFailure.SKIP)
		void keyed(String key) {
			this.count.incrementAndGet();
		}

	}

}
