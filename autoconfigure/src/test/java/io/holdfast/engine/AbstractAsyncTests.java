package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks that are waited for without a thread.
 */
abstract class AbstractAsyncTests extends AbstractStoreTests {

	private CompletableFuture<LockHandle> acquireAsync(TestInstance instance, LockRequest request) {
		return instance.registry().acquireAsync(request);
	}

	@ParameterizedTest
	@EnumSource
	void lockThatIsFreeIsAcquired(Wanted wanted) {
		LockHandle lock = Threads.join(acquireAsync(this.one, wanted.of(this)));
		assertThat(lock.isHeld()).isTrue();
		assertThat(isDenied(this.two, exclusive())).isTrue();
		assertThat(Threads.join(lock.releaseAsync())).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isDenied(this.two, both())).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void waiterIsWokenByAnotherInstance(Wanted wanted) {
		LockHandle blocking = this.two.template().acquire(exclusive());
		CompletableFuture<LockHandle> waiter = acquireAsync(this.one, wanted.of(this));
		awaitQueued(this.key, 1);
		assertThat(waiter).isNotDone();
		blocking.release();
		Threads.join(waiter).close();
		assertThat(isDenied(this.two, both())).isFalse();
		assertThat(this.one.registry().status().acquiring()).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void waiterGivesUpInTime(Wanted wanted) {
		LockHandle blocking = this.two.template().acquire(exclusive());
		long begin = System.nanoTime();
		CompletableFuture<LockHandle> waiter = acquireAsync(this.one, wanted.of(this).waitFor(Duration.ofMillis(200)));
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> Threads.join(waiter))
			.satisfies((failure) -> assertThat(failure.getHolder()).startsWith(this.two.id()));
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isBetween(Duration.ofMillis(200),
				Duration.ofSeconds(20));
		awaitQueued(this.key, 0);
		assertThat(this.one.registry().status().acquiring()).isZero();
		blocking.release();
		assertThat(isDenied(this.two, both())).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void cancelledWaiterLeavesTheQueue(Wanted wanted) {
		LockHandle blocking = this.two.template().acquire(exclusive());
		CompletableFuture<LockHandle> waiter = acquireAsync(this.one, wanted.of(this));
		awaitQueued(this.key, 1);
		assertThat(waiter.cancel(true)).isTrue();
		awaitQueued(this.key, 0);
		await().until(() -> this.one.registry().status().acquiring() == 0);
		blocking.release();
		assertThat(isDenied(this.two, both())).isFalse();
	}

	@Test
	void manyWaitWithoutAThreadAndGetTheLockOneAtATime() {
		AtomicInteger inside = new AtomicInteger();
		List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
		LockHandle blocking = this.two.template().acquire(exclusive());
		Set<Thread> before = Threads.named("holdfast-");
		LockRequest patient = exclusive().waitFor(Duration.ofMinutes(2));
		List<CompletableFuture<Void>> sections = IntStream.range(0, 300)
			.mapToObj((i) -> acquireAsync((i % 3 == 0) ? this.two : this.one, patient).thenCompose((lock) -> {
				assertThat(inside.incrementAndGet()).isOne();
				tokens.add(lock.fencingToken());
				inside.decrementAndGet();
				return lock.releaseAsync();
			}).thenAccept((released) -> assertThat(released).isEqualTo(ReleaseResult.RELEASED)))
			.toList();
		await().until(() -> this.one.registry().status().acquiring() + this.two.registry().status().acquiring() == 300);
		assertThat(Threads.named("holdfast-", before)).hasSizeLessThan(100);
		blocking.release();
		sections.forEach(Threads::join);
		assertThat(tokens).hasSize(300).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void blockedCallbacksDoNotKeepOthersFromTheirLocks() {
		Set<Thread> before = Threads.named("holdfast-callback");
		LockHandle blocking = this.two.template().acquire(exclusive());
		List<CompletableFuture<Boolean>> blocked = IntStream.range(0, 20)
			.mapToObj((i) -> acquireAsync(this.one, LockRequest.of(this.key + "-" + i)).thenApplyAsync((lock) -> {
				try (lock; LockHandle inner = this.one.template().acquire(exclusive())) {
					return inner.isHeld();
				}
			}))
			.toList();
		await().until(() -> Threads.named("holdfast-callback", before).size() >= 20);
		Threads.join(acquireAsync(this.one, LockRequest.of(other()))).close();
		blocking.release();
		blocked.forEach((section) -> assertThat(Threads.join(section)).isTrue());
	}

	@Test
	void callerThatWaitsForItselfIsToldSo() {
		String thread = "thread '" + Thread.currentThread().getName() + "'";
		String owner = this.one.id() + ":" + Thread.currentThread().getId();
		LockHandle own = this.one.template().acquire(exclusive());
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> Threads.join(acquireAsync(this.one, exclusive().waitFor(Duration.ofMillis(200)))))
			.withMessageContainingAll("own " + thread, owner)
			.satisfies((failure) -> assertThat(failure.getHolder()).isEqualTo(owner));
		assertThat(Threads.call(() -> denied(this.one)).getHolderName())
			.isEqualTo(thread + " of this instance (" + owner + ")");
		own.release();
		LockHandle ofHandle = Threads.join(acquireAsync(this.one, exclusive()));
		assertThat(denied(this.one).getHolderName()).startsWith("a handle of " + thread + " of this instance");
		ofHandle.release();
	}

	private LockNotAcquiredException denied(TestInstance instance) {
		return assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> instance.template().acquire(oneTry(exclusive())))
			.actual();
	}

	enum Wanted {

		EXCLUSIVE, FAIR, SHARED, SEVERAL;

		LockRequest of(AbstractStoreTests family) {
			return switch (this) {
				case EXCLUSIVE -> family.exclusive();
				case FAIR -> family.exclusive().fair();
				case SHARED -> family.shared();
				case SEVERAL -> family.both();
			};
		}

	}

}
