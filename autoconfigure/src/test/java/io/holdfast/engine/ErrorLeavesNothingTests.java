package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.OnLost;
import io.holdfast.diagnostics.LockDiagnostics;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.local.LocalLockStore;
import io.holdfast.local.LocalLocks;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An error at any look at the clock, while a lock is acquired or released: the caller has
 * the lock, or nobody has.
 */
@Tag("depends-on-jdk")
@Tag("slow")
class ErrorLeavesNothingTests {

	private static final Duration LEASE = Duration.ofMillis(300);

	private static final String KEY = "key";

	private static final String OTHER = "other";

	private final FailingRuntime runtime = new FailingRuntime();

	private final FaultyStore network = new FaultyStore(new LocalLockStore(new LocalLocks()));

	private final HoldfastLockRegistry registry = new HoldfastLockRegistry(this.network,
			new EngineSettings(() -> "one", LEASE, Duration.ofSeconds(20), true, null, false, OnLost.THROW, 16,
					Duration.ofMillis(50), Duration.ZERO, 1000),
			() -> List.of(new RecordingListener()), new LockDiagnostics(Duration.ofHours(1), Duration.ofHours(1), true),
			this.runtime, HoldfastLockRegistry.POLL);

	/**
	 * Lives on, so that its locks are renewed.
	 */
	private final ExecutorService caller = Executors.newSingleThreadExecutor();

	private final LockTemplate template = new LockTemplate(this.registry);

	@AfterEach
	void close() {
		this.registry.close();
		this.caller.shutdown();
	}

	@ParameterizedTest
	@EnumSource
	void nothingIsLeft(Section section) throws Exception {
		int n = 0;
		while (hasFailed(section, ++n)) {
			await().pollInterval(Duration.ofMillis(5)).untilAsserted(() -> assertThat(this.registry.held()).isEmpty());
			assertThat(this.registry.status().acquiring()).isZero();
			assertThat(this.registry.status().waiting()).isZero();
			assertThat(this.registry.operations().heldCount()).isZero();
			List<CompletableFuture<Boolean>> others = List.of(other(KEY), other(KEY), other(OTHER));
			assertThat(others).allSatisfy((other) -> assertThat(Threads.join(other)).isTrue());
		}
		assertThat(n).isGreaterThan(4);
	}

	/**
	 * Run a section whose thread is hit by an error.
	 * @param n the look at the clock at which that happens
	 * @return whether there were so many
	 */
	private boolean hasFailed(Section section, int n) throws Exception {
		AtomicInteger countdown = new AtomicInteger(n);
		this.caller.submit(() -> {
			Thread thread = Thread.currentThread();
			try {
				section.run(this, () -> this.runtime
					.failClock(() -> Thread.currentThread() == thread && countdown.decrementAndGet() == 0));
			}
			catch (OutOfMemoryError ex) {
				assertThat(ex).hasMessage("Java heap space");
			}
			finally {
				this.runtime.failClock(() -> false);
			}
		}).get(1, TimeUnit.MINUTES);
		return countdown.get() <= 0;
	}

	private CompletableFuture<Boolean> other(String key) {
		return Threads.start(
				() -> this.template
					.tryExecute(LockRequest.of(key).waitFor(Duration.ofSeconds(20)).lease(Duration.ofSeconds(20)),
							(lock) -> true)
					.orElse(false));
	}

	private void withWaiter(Runnable action) {
		CompletableFuture<Boolean> waiter = other(KEY);
		await().pollInterval(Duration.ofMillis(1)).until(() -> this.registry.status().waiting() == 1);
		action.run();
		Threads.join(waiter);
	}

	/**
	 * What is done with a lock, and from when on an error may come.
	 */
	enum Section {

		EXCLUSIVE {
			@Override
			void run(ErrorLeavesNothingTests test, Runnable arm) {
				arm.run();
				test.template.executeWithoutResult(KEY, (lock) -> {
				});
			}
		},

		UNANSWERED_AT_FIRST {
			@Override
			void run(ErrorLeavesNothingTests test, Runnable arm) {
				test.network.loseReplies(Operation.ACQUIRE, 1);
				arm.run();
				test.template.executeWithoutResult(KEY, (lock) -> {
				});
			}
		},

		SHARED {
			@Override
			void run(ErrorLeavesNothingTests test, Runnable arm) {
				arm.run();
				test.template.executeWithoutResult(LockRequest.of(KEY).shared(), (lock) -> {
				});
			}
		},

		SEVERAL {
			@Override
			void run(ErrorLeavesNothingTests test, Runnable arm) {
				arm.run();
				test.template.executeWithoutResult(LockRequest.of(KEY, OTHER), (lock) -> {
				});
			}
		},

		NESTED {
			@Override
			void run(ErrorLeavesNothingTests test, Runnable arm) {
				test.template.executeWithoutResult(KEY, (lock) -> {
					arm.run();
					test.template.executeWithoutResult(LockRequest.of(KEY).minHold(Duration.ofMillis(1)), (inner) -> {
					});
				});
			}
		},

		NESTED_AND_MORE {
			@Override
			void run(ErrorLeavesNothingTests test, Runnable arm) {
				test.template.executeWithoutResult(KEY, (lock) -> {
					arm.run();
					test.template.executeWithoutResult(LockRequest.of(KEY, OTHER), (inner) -> {
					});
				});
			}
		},

		DOWNGRADED {
			@Override
			void run(ErrorLeavesNothingTests test, Runnable arm) {
				LockHandle writer = test.template.acquire(KEY);
				LockHandle reader = test.template.acquire(LockRequest.of(KEY).shared());
				arm.run();
				try (reader) {
					writer.release();
				}
			}
		},

		HANDED_ON {
			@Override
			void run(ErrorLeavesNothingTests test, Runnable arm) {
				LockHandle lock = test.template.acquire(KEY);
				test.withWaiter(() -> {
					arm.run();
					lock.release();
				});
			}
		},

		WAITED_FOR {
			@Override
			void run(ErrorLeavesNothingTests test, Runnable arm) {
				CompletableFuture<Boolean> held = new CompletableFuture<>();
				CompletableFuture<Boolean> holder = Threads.start(() -> test.template.execute(KEY, (lock) -> {
					held.complete(true);
					await().pollInterval(Duration.ofMillis(1)).until(() -> lock.isHeld());
					return true;
				}));
				Threads.join(held);
				arm.run();
				test.template.executeWithoutResult(KEY, (lock) -> {
				});
				Threads.join(holder);
			}
		},

		REFUSED {
			@Override
			void run(ErrorLeavesNothingTests test, Runnable arm) {
				LockHandle lock = test.template.acquire(LockRequest.of(KEY).ownedByHandle());
				arm.run();
				try (lock) {
					Optional<LockHandle> refused = test.registry
						.tryAcquire(LockRequest.of(KEY).waitFor(Duration.ofMillis(5)));
					assertThat(refused).isEmpty();
				}
			}
		},

		VIEW {
			@Override
			void run(ErrorLeavesNothingTests test, Runnable arm) {
				Lock lock = test.registry.fairLock(KEY);
				arm.run();
				lock.lock();
				lock.unlock();
			}
		};

		abstract void run(ErrorLeavesNothingTests test, Runnable arm);

	}

}
