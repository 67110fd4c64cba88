package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.holdfast.LockHandle;
import io.holdfast.LockListener;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.OnLost;
import io.holdfast.local.LocalStores;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Listeners of locks that are waited for without a thread.
 */
class AsyncListenerTests {

	private static final LockRequest ONE_TRY = LockRequest.of("key").waitFor(Duration.ZERO);

	private final LocalStores stores = new LocalStores();

	private HoldfastLockRegistry registry(String id, Supplier<List<LockListener>> listeners) {
		return new HoldfastLockRegistry(this.stores.open(id),
				new EngineSettings(() -> id, Duration.ofSeconds(30), Duration.ofSeconds(5), true, null, false,
						OnLost.THROW, TestInstance.LOCAL_HANDOFFS, Duration.ofMillis(50)),
				listeners, EngineListener.NONE);
	}

	private static List<LockListener> fail() {
		throw new IllegalStateException("no listeners");
	}

	@Test
	void callerGetsItsAnswerAlthoughThereCanBeNoListeners() {
		try (HoldfastLockRegistry one = registry("one", AsyncListenerTests::fail);
				HoldfastLockRegistry two = registry("two", List::of)) {
			LockHandle blocking = two.acquireOrThrow(ONE_TRY);
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> Threads.join(one.acquireAsync(ONE_TRY)));
			blocking.release();
			assertThatIllegalStateException().isThrownBy(() -> Threads.join(one.acquireAsync(ONE_TRY)))
				.withMessage("no listeners");
			two.acquireOrThrow(ONE_TRY).release();
			assertThat(one.status().acquiring()).isZero();
		}
	}

	@Test
	void listenerThatTakesItsTimeKeepsNobodyElseFromLocks() {
		CountDownLatch toldAll = new CountDownLatch(16);
		CountDownLatch end = new CountDownLatch(1);
		LockListener slow = new LockListener() {
			@Override
			public void onAcquired(LockSnapshot lock, Duration waited) {
				if (!lock.keys().contains("key")) {
					toldAll.countDown();
					Threads.await(end);
				}
			}
		};
		try (HoldfastLockRegistry registry = registry("one", () -> List.of(slow))) {
			List<CompletableFuture<LockHandle>> waiting = IntStream.range(0, 16)
				.mapToObj((i) -> registry.acquireAsync(LockRequest.of("slow-" + i)))
				.toList();
			Threads.await(toldAll);
			Threads.join(Threads.join(registry.acquireAsync(ONE_TRY)).releaseAsync());
			assertThat(waiting).noneMatch(CompletableFuture::isDone);
			end.countDown();
			await().until(() -> waiting.stream().allMatch(CompletableFuture::isDone));
		}
		finally {
			end.countDown();
		}
	}

}
