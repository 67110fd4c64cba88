package io.holdfast.aop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.DistributedLock;
import io.holdfast.LockListener;
import io.holdfast.LockMode;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.LockTemplate;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Shared and fair locks, and locks of several keys, asked for by one annotation.
 */
class KindsOfLocksTests {

	private static AnnotationConfigApplicationContext context;

	private static Calls calls;

	private static List<LockRequest> denied;

	private static HoldfastLockRegistry registry;

	@BeforeAll
	static void startApplication() {
		context = LocalApplication.start(Calls.class, Denied.class);
		calls = context.getBean(Calls.class);
		denied = context.getBean(Denied.class).requests;
		registry = context.getBean(HoldfastLockRegistry.class);
	}

	@AfterAll
	static void stopApplication() {
		context.close();
	}

	@BeforeEach
	void forgetWhatWas() {
		calls.count();
		denied.clear();
	}

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(registry.held()).isEmpty();
	}

	private static boolean isFree(LockRequest request) {
		LockTemplate template = context.getBean(LockTemplate.class);
		return Threads.call(() -> template.tryExecute(request, (lock) -> true).isPresent());
	}

	// Mode and fairness

	@Test
	void readersOverlapAndAWriterWaitsForThem() {
		CountDownLatch reading = new CountDownLatch(2);
		CountDownLatch done = new CountDownLatch(1);
		Runnable read = () -> {
			reading.countDown();
			Threads.await(done);
		};
		List<CompletableFuture<List<List<String>>>> readers = List.of(Threads.start(() -> calls.read(read)),
				Threads.start(() -> calls.read(read)));
		Threads.await(reading);
		CompletableFuture<List<List<String>>> writer = Threads.start(() -> calls.write(() -> {
		}));
		await().until(() -> registry.status().acquiring() == 1);
		assertThat(writer).isNotDone();
		assertThat(readers).noneMatch(CompletableFuture::isDone);
		done.countDown();
		readers.forEach(Threads::join);
		assertThat(Threads.join(writer)).containsOnly(List.of("a"));
	}

	@Test
	void writerKeepsReadersOut() {
		calls.write(() -> assertThat(isFree(LockRequest.of("a").shared())).isFalse());
		calls.read(() -> {
			assertThat(isFree(LockRequest.of("a").shared())).isTrue();
			assertThat(isFree(LockRequest.of("a"))).isFalse();
		});
	}

	@Test
	void fairRequestIsOrdered() {
		LocalApplication.whileHeldElsewhere(context, "a", () -> {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> calls.fair());
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> calls.asConfigured());
		});
		assertThat(denied).extracting(LockRequest::ordered).containsExactly(true, null);
		assertThat(calls.fair()).containsExactly(List.of("a"));
	}

	// Several keys of one annotation

	@Test
	void allKeysOfACollectionOrArrayAreHeldAtOnce() {
		assertThat(calls.all(List.of("c", "a", "b", "a"))).containsExactly(List.of("c", "a", "b"));
		assertThat(calls.all(new Integer[] { 2, 1 })).containsExactly(List.of("2", "1"));
	}

	@Test
	void noneOfTheKeysIsHeldWhenOneIsNotFree() {
		LocalApplication.whileHeldElsewhere(context, "b", () -> {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> calls.all(List.of("a", "b", "c")));
			assertThat(isFree(LockRequest.of("a")) && isFree(LockRequest.of("c"))).isTrue();
			assertThat(isFree(LockRequest.of("b"))).isFalse();
		});
		assertThat(calls.count()).isZero();
		assertThat(calls.all(List.of("a", "b", "c"))).hasSize(1);
		assertThat(calls.count()).isOne();
	}

	@Test
	void methodIsNotRunWithoutAKey() {
		assertThatIllegalArgumentException().isThrownBy(() -> calls.all(List.of())).withMessageContaining("no key");
		assertThat(calls.count()).isZero();
	}

	static class Calls {

		private final AtomicInteger count = new AtomicInteger();

		private final LockRegistry registry;

		Calls(LockRegistry registry) {
			this.registry = registry;
		}

		int count() {
			return this.count.getAndSet(0);
		}

		private List<List<String>> held() {
			return this.registry.held().stream().map(LockSnapshot::keys).toList();
		}

		@DistributedLock(key = "'a'", mode = LockMode.SHARED)
		List<List<String>> read(Runnable action) {
			action.run();
			return held();
		}

		@DistributedLock(key = "'a'", mode = LockMode.EXCLUSIVE, waitFor = "30s")
		List<List<String>> write(Runnable action) {
			action.run();
			return held();
		}

		@DistributedLock(key = "'a'", fair = true)
		List<List<String>> fair() {
			return held();
		}

		@DistributedLock(key = "'a'")
		List<List<String>> asConfigured() {
			return held();
		}

		@DistributedLock(key = "#keys")
		List<List<String>> all(Object keys) {
			this.count.incrementAndGet();
			return held();
		}

	}

	static class Denied implements LockListener {

		private final List<LockRequest> requests = new CopyOnWriteArrayList<>();

		@Override
		public void onNotAcquired(LockRequest request, Duration waited) {
			this.requests.add(request);
		}

	}

}
