package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.holdfast.LockAssert;
import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/**
 * When a lock is given back that was acquired in a transaction.
 */
@Tag("slow")
class ReleaseAfterTransactionTests extends AbstractTransactionTests {

	private final List<Boolean> free = new ArrayList<>();

	private void noteWhetherFree() {
		this.free.add(isFree());
	}

	@Test
	void lockIsHeldUntilTheTransactionHasCommittedAndFreeRightAfter() {
		inTransaction(() -> {
			underLock(this.key, (lock) -> this.entries.add(this.key));
			noteWhetherFree();
			afterCommit(() -> {
				noteWhetherFree();
				assertThat(isCommitted()).isTrue();
			});
		});
		assertThat(this.free).containsExactly(false, false);
		assertThat(isFree()).isTrue();
	}

	@Test
	void othersAreToldThatTheTransactionHasTheLock() {
		LockRequest oneTry = LockRequest.of(this.key).waitFor(Duration.ZERO);
		inTransaction(() -> {
			underLock(this.key, (lock) -> {
			});
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> Threads.join(Threads.start(() -> this.locks.acquire(oneTry))))
				.withMessageContaining(" of this instance, until its transaction has completed (");
		});
	}

	@Test
	void callbacksThatWereRegisteredLaterStillRunUnderTheLock() {
		inTransaction(() -> {
			underLock(this.key, (lock) -> {
				one.publishEvent(new Done(this::noteWhetherFree));
				afterCompletion(this::noteWhetherFree);
			});
			afterCompletion(this::noteWhetherFree);
		});
		assertThat(this.free).containsExactly(false, false, false);
		assertThat(isFree()).isTrue();
	}

	@Test
	void lossIsToldUntilTheHandleIsGivenUp() {
		LockRequest request = LockRequest.of(this.key).lease(Duration.ofSeconds(3)).autoRenew(false);
		List<LockHandle> told = new CopyOnWriteArrayList<>();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> inTransaction(() -> {
			LockHandle givenUp = this.locks.acquire(request);
			LockHandle inUse = this.locks.acquire(request);
			givenUp.onLost(told::add);
			inUse.onLost(told::add);
			givenUp.release();
			givenUp.onLost(told::add);
			await().untilAsserted(() -> assertThat(told).containsExactly(inUse));
			inUse.onLost(told::add);
			assertThat(told).containsExactly(inUse, inUse);
			inUse.close();
		}));
		await("end of the lease in Redis, which comes later than here").until(() -> isFree());
	}

	@Test
	void lockIsHeldUntilTheTransactionHasRolledBack() {
		this.transaction.executeWithoutResult((status) -> {
			underLock(this.key, (lock) -> this.entries.add(this.key));
			status.setRollbackOnly();
			beforeCompletion(this::noteWhetherFree);
		});
		assertThat(this.free).containsExactly(false);
		assertThat(isFree()).isTrue();
		assertThat(isCommitted()).isFalse();
	}

	@Test
	void lockIsFreeWhenTheCommitHasFailed() {
		assertThatIllegalStateException().isThrownBy(() -> inTransaction(() -> {
			underLock(this.key, (lock) -> this.entries.add(this.key));
			beforeCommit(() -> {
				throw new IllegalStateException("no commit");
			});
		})).withMessage("no commit");
		assertThat(isFree()).isTrue();
		assertThat(isCommitted()).isFalse();
	}

	@Test
	void annotatedMethodWithinATransactionReleasesAfterIt() {
		inTransaction(() -> {
			this.entries.locked(this.key, () -> this.entries.locked(this.key, () -> {
			}));
			noteWhetherFree();
			this.entries.addLocked(this.key, () -> {
			});
			noteWhetherFree();
			LockAssert.assertHeld(this.key);
		});
		assertThat(this.free).containsExactly(false, false);
		assertThat(isFree()).isTrue();
		assertThat(one.getBean(LockRegistry.class).held()).isEmpty();
	}

	@Test
	void othersGetInOnlyWhenTheCommitOfAnAnnotatedMethodIsVisible() {
		CountDownLatch locked = new CountDownLatch(1);
		CompletableFuture<Boolean> seen = Threads.start(() -> {
			Threads.await(locked);
			AtomicReference<Boolean> committed = new AtomicReference<>();
			two.getBean(Entries.class).locked(this.key, () -> committed.set(isCommitted()));
			return committed.get();
		});
		this.entries.addLocked(this.key, () -> {
			locked.countDown();
			afterCommit(this::noteWhetherFree);
		});
		assertThat(this.free).containsExactly(false);
		assertThat(Threads.join(seen)).isTrue();
	}

	static Stream<Arguments> innerTransactions() {
		DriverManagerDataSource other = new DriverManagerDataSource("jdbc:h2:mem:other");
		DataSourceTransactionManager unsynchronized = new DataSourceTransactionManager(other);
		unsynchronized.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
		return Stream.of(argumentSet("new", transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW), false, true),
				argumentSet("of a second manager", new TransactionTemplate(new DataSourceTransactionManager(other)),
						false, true),
				argumentSet("under a savepoint", transaction(TransactionDefinition.PROPAGATION_NESTED), false, false),
				argumentSet("suspended", transaction(TransactionDefinition.PROPAGATION_NOT_SUPPORTED), true, true),
				argumentSet("without synchronization", new TransactionTemplate(unsynchronized), true, true));
	}

	@ParameterizedTest
	@MethodSource("innerTransactions")
	void lockBelongsToTheTransactionItsThreadIsIn(TransactionTemplate inner, boolean freeInside, boolean freeAfter) {
		String outerKey = this.key + "-outer";
		inTransaction(() -> {
			this.locks.acquire(outerKey).release();
			inner.executeWithoutResult((status) -> {
				assertThat(this.locks.acquire(this.key).release())
					.isEqualTo(freeInside ? ReleaseResult.RELEASED : ReleaseResult.STILL_HELD);
				noteWhetherFree();
			});
			noteWhetherFree();
			assertThat(isFree(outerKey)).isFalse();
		});
		assertThat(this.free).containsExactly(freeInside, freeAfter);
		assertThat(isFree()).isTrue();
		assertThat(isFree(outerKey)).isTrue();
	}

	@Test
	void lockTakenUnderASavepointThatIsRolledBackStaysUntilTheWholeTransactionCompletes() {
		inTransaction(() -> {
			transaction(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult((status) -> {
				this.locks.acquire(this.key).release();
				status.setRollbackOnly();
			});
			noteWhetherFree();
		});
		assertThat(this.free).containsExactly(false);
		assertThat(isFree()).isTrue();
	}

	@Test
	void lockTakenAfterTheCommitIsFreeInTheEnd() {
		List<ReleaseResult> results = new ArrayList<>();
		inTransaction(() -> {
			afterCommit(() -> results.add(this.locks.acquire(this.key).release()));
			afterCompletion(() -> results.add(this.locks.acquire(this.key + "-completed").release()));
		});
		assertThat(results).containsExactly(ReleaseResult.STILL_HELD, ReleaseResult.RELEASED);
		assertThat(isFree()).isTrue();
		assertThat(isFree(this.key + "-completed")).isTrue();
	}

	@Test
	void acquisitionFromBeforeTheTransactionIsReleasedAtOnce() {
		LockHandle outer = this.locks.acquire(this.key);
		inTransaction(() -> {
			assertThat(this.locks.acquire(this.key).release()).isEqualTo(ReleaseResult.STILL_HELD);
			assertThat(outer.holdCount()).isEqualTo(2);
			assertThat(outer.release()).isEqualTo(ReleaseResult.STILL_HELD);
			noteWhetherFree();
		});
		assertThat(this.free).containsExactly(false);
		assertThat(isFree()).isTrue();
	}

	@Test
	void handleThatOutlivesTheTransactionIsNotTouchedByItsEnd() {
		AtomicReference<LockHandle> handle = new AtomicReference<>();
		inTransaction(() -> handle.set(this.locks.acquire(this.key)));
		assertThat(handle.get().isHeld()).isTrue();
		assertThat(isFree()).isFalse();
		assertThat(handle.get().release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(handle.get().release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFree()).isTrue();
	}

	@Test
	void handleThatWasGivenUpIsOfNoMoreUse() {
		AtomicReference<LockHandle> handle = new AtomicReference<>();
		inTransaction(() -> {
			LockHandle lock = this.locks.acquire(this.key);
			handle.set(lock);
			assertThat(lock.isHeld()).isTrue();
			assertThat(lock.extend(Duration.ofMinutes(1))).isTrue();
			assertThat(lock.remainingLease()).isGreaterThan(Duration.ofSeconds(50));
			assertThat(lock.release()).isEqualTo(ReleaseResult.STILL_HELD);
			assertThat(lock.isHeld()).isFalse();
			assertThat(lock.remainingLease()).isZero();
			assertThat(lock.extend(Duration.ofMinutes(1))).isFalse();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::ensureHeld)
				.withMessageContaining(this.key);
			assertThat(lock.release()).isEqualTo(ReleaseResult.STILL_HELD);
			assertThat(lock.keys()).containsExactly(this.key);
			assertThat(lock.fencingToken()).isPositive().isEqualTo(lock.fencingToken(this.key));
		});
		assertThat(handle.get().release()).isEqualTo(ReleaseResult.STILL_HELD);
		assertThat(handle.get().isHeld()).isFalse();
	}

	@Test
	void handleThatIsGivenBackIsOfNoMoreUse() {
		inTransaction(() -> {
			LockHandle handle = this.locks.acquire(LockRequest.of(this.key).minHold(Duration.ofMinutes(1)));
			assertThat(handle.giveBack()).isEqualTo(ReleaseResult.RELEASED);
			noteWhetherFree();
			assertThat(handle.isHeld()).isFalse();
			assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		});
		assertThat(this.free).containsExactly(true);
	}

	@Test
	void handleThatWasReleasedIsNotGivenBack() {
		inTransaction(() -> {
			LockHandle handle = this.locks.acquire(this.key);
			handle.release();
			assertThat(handle.giveBack()).isEqualTo(ReleaseResult.STILL_HELD);
			noteWhetherFree();
		});
		noteWhetherFree();
		assertThat(this.free).containsExactly(false, true);
	}

	/**
	 * As a test may leave one, or a faulty transaction manager.
	 */
	@Test
	void transactionWithoutAnEndKeepsNoLockOfTheNext() {
		TransactionSynchronizationManager.initSynchronization();
		TransactionSynchronizationManager.setActualTransactionActive(true);
		LockHandle left = this.locks.acquire(this.key + "-left");
		TransactionSynchronizationManager.clear();
		inTransaction(() -> underLock(this.key, (lock) -> {
		}));
		noteWhetherFree();
		assertThat(this.free).containsExactly(true);
		left.giveBack();
	}

	@ParameterizedTest
	@MethodSource("thoseThatAreNotRenewedToTheEnd")
	void acquisitionThatIsRenewedIsKeptAfterOneThatIsNot(UnaryOperator<LockRequest> first) {
		LockRequest renewed = LockRequest.of(this.key).lease(Duration.ofSeconds(4));
		inTransaction(() -> {
			this.locks.executeWithoutResult(first.apply(renewed), (lock) -> {
			});
			this.locks.executeWithoutResult(renewed, (lock) -> {
			});
			assertThat(isFree(LockRequest.of(this.key).waitFor(Duration.ofSeconds(6)))).isFalse();
		});
		assertThat(isFree()).isTrue();
	}

	static Stream<UnaryOperator<LockRequest>> thoseThatAreNotRenewedToTheEnd() {
		return Stream.of((request) -> request.autoRenew(false), (request) -> request.maxHold(Duration.ofMillis(100)));
	}

	@Test
	void acquisitionOfMoreKeysKeepsAllOfThem() {
		inTransaction(() -> {
			this.locks.executeWithoutResult(this.key, (lock) -> {
			});
			this.locks.executeWithoutResult(LockRequest.of(this.key, this.key + "-too"), (lock) -> {
			});
			assertThat(isFree()).isFalse();
			assertThat(isFree(this.key + "-too")).isFalse();
		});
		assertThat(isFree()).isTrue();
		assertThat(isFree(this.key + "-too")).isTrue();
	}

	/**
	 * Whichever of the two comes first, the lock is free when both are done.
	 */
	@Test
	void releaseOnAnotherThreadWhileTheTransactionCompletesIsNotForgotten() {
		for (int i = 0; i < 200; i++) {
			AtomicReference<CompletableFuture<ReleaseResult>> release = new AtomicReference<>();
			inTransaction(() -> {
				LockHandle handle = this.locks.acquire(LockRequest.of(this.key));
				CountDownLatch completing = new CountDownLatch(1);
				release.set(Threads.start(() -> {
					Threads.await(completing);
					return handle.release();
				}));
				afterCommit(completing::countDown);
			});
			assertThat(Threads.join(release.get())).isIn(ReleaseResult.STILL_HELD, ReleaseResult.RELEASED);
			assertThat(one.getBean(LockRegistry.class).held()).isEmpty();
		}
		assertThat(isFree()).isTrue();
	}

	@Test
	void viewsAndHandlesOfTheRegistryAreFreeAtOnce() {
		LockRegistry registry = one.getBean(LockRegistry.class);
		inTransaction(() -> {
			Lock view = registry.lock(this.key);
			view.lock();
			view.unlock();
			noteWhetherFree();
			registry.acquireOrThrow(LockRequest.of(this.key)).close();
			noteWhetherFree();
		});
		assertThat(this.free).containsExactly(true, true);
	}

	@Test
	void releasesAtOnceWhenToldSo() {
		try (ConfigurableApplicationContext application = start("holdfast.release-after-transaction=false")) {
			use(application);
			inTransaction(() -> {
				underLock(this.key, (lock) -> this.entries.add(this.key));
				noteWhetherFree();
				this.entries.locked(this.key, () -> {
				});
				noteWhetherFree();
				assertThat(isCommitted()).isFalse();
			});
			assertThat(this.free).containsExactly(true, true);
			assertThat(isCommitted()).isTrue();
		}
	}

}
