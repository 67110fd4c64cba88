package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of a transaction whose thread has lost a lock.
 */
@Tag("slow")
class CommitGuardTests extends AbstractTransactionTests {

	private static final Duration SHORT = Duration.ofMillis(200);

	/**
	 * See that a transaction is refused for the loss of a lock, and leaves nothing.
	 */
	private void assertRefused(String lost, Runnable transaction) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(transaction::run)
			.satisfies((ex) -> assertThat(ex.getKey()).isEqualTo(lost));
		assertThat(isCommitted()).isFalse();
	}

	private void add() {
		this.entries.add(this.key);
	}

	private void takeAway() {
		takeAway(this.key);
	}

	// Locks around the transaction

	@Test
	void annotatedMethodWhoseKeyWasDeletedCommitsNothing() {
		assertRefused(this.key, () -> this.entries.addLocked(this.key, this::takeAway));
		assertThatCode(() -> this.entries.addLocked(this.key, () -> {
		})).doesNotThrowAnyException();
		assertThat(isCommitted()).isTrue();
	}

	@Test
	void failureInSpiteOfWhichTheTransactionWouldHaveCommittedGivesWay() {
		assertRefused(this.key, () -> this.entries.addAndCommitInSpiteOfFailure(this.key, () -> {
			takeAway();
			throw new IllegalStateException("no reason to roll back");
		}));
	}

	@Test
	void messageNamesTheLockAndTheThreadThatHasNotReleasedIt() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.entries.addLocked(this.key, this::takeAway))
			.withMessageContainingAll(this.key, "rolled back")
			.havingCause()
			.withMessageContaining(Thread.currentThread().getName());
	}

	@Test
	void innerTransactionUnderALostLockIsRefusedToo() {
		TransactionTemplate inner = transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		String innerKey = this.key + "-inner";
		underLock(innerKey, (unharmed) -> assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> underLock(this.key, (lock) -> inTransaction(() -> {
				add();
				takeAway();
				assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> inner
					.executeWithoutResult((status) -> underLock(innerKey, (again) -> this.entries.add(innerKey))));
			}))));
		assertThat(isCommitted()).isFalse();
		assertThat(isCommitted(innerKey)).isFalse();
		assertThat(isFree(innerKey)).isTrue();
	}

	// Locks within the transaction

	@Test
	void lockThatIsLostAfterItsSectionCommitsNothing() {
		assertRefused(this.key, () -> inTransaction(() -> {
			underLock(this.key, (lock) -> add());
			takeAway();
		}));
		assertThat(isFree()).isTrue();
		assertThat(one.getBean(LockRegistry.class).held()).isEmpty();
		assertThatCode(() -> inTransaction(this::add)).doesNotThrowAnyException();
	}

	@Test
	void lossThatIsKnownAtTheEndOfTheSectionIsThrownThere() {
		AtomicBoolean wentOn = new AtomicBoolean();
		assertRefused(this.key, () -> inTransaction(() -> {
			this.locks.executeWithoutResult(LockRequest.of(this.key).lease(SHORT).autoRenew(false), (lock) -> {
				add();
				await().until(() -> !lock.isHeld());
			});
			wentOn.set(true);
		}));
		assertThat(wentOn).isFalse();
	}

	@Test
	void lossThatTheCallerHasIgnoredCommitsNothing() {
		AtomicReference<ReleaseResult> result = new AtomicReference<>();
		assertRefused(this.key, () -> inTransaction(() -> {
			LockHandle handle = loseInTime();
			result.set(handle.release());
			handle.close();
			assertThat(handle.release()).isEqualTo(ReleaseResult.LOST);
		}));
		assertThat(result).hasValue(ReleaseResult.LOST);
		assertThat(one.getBean(LockRegistry.class).held()).isEmpty();
		inTransaction(this::add);
		assertThat(isCommitted()).isTrue();
	}

	private LockHandle loseInTime() {
		LockHandle handle = this.locks.acquire(LockRequest.of(this.key).lease(SHORT).autoRenew(false));
		add();
		await().until(() -> !handle.isHeld());
		return handle;
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void lockThatWasReleasedInTheTransactionIsNotAskedFor(boolean lost) {
		try (ConfigurableApplicationContext application = start("holdfast.release-after-transaction=false")) {
			use(application);
			Consumer<LockHandle> action = (lock) -> {
				add();
				if (lost) {
					takeAway();
				}
			};
			if (lost) {
				assertRefused(this.key, () -> inTransaction(() -> underLock(this.key, action)));
			}
			else {
				inTransaction(() -> {
					underLock(this.key, action);
					takeAway();
				});
				assertThat(isCommitted()).isTrue();
			}
		}
	}

	// What is let through

	@Test
	void readOnlyTransactionIsLetThrough() {
		TransactionTemplate readOnly = transaction(TransactionDefinition.PROPAGATION_REQUIRED);
		readOnly.setReadOnly(true);
		LockHandle handle = this.locks.acquire(this.key);
		takeAway();
		assertThat(readOnly.<Integer>execute((status) -> this.entries.count(this.key))).isZero();
		handle.close();
	}

	@Test
	void transactionIsLetThroughWhenLossesAreLoggedOnly() {
		try (ConfigurableApplicationContext application = start("holdfast.on-lost=log")) {
			use(application);
			this.entries.addLocked(this.key, this::takeAway);
			assertThat(isCommitted()).isTrue();
			inTransaction(() -> assertThat(loseInTime().release()).isEqualTo(ReleaseResult.LOST));
			assertThat(this.entries.count(this.key)).isEqualTo(2);
		}
	}

	@Test
	void guardIsAddedOnceAlsoWhereBootLooksForListeners() {
		assertThat(CommitGuardInstallerTests.guards(one.getBean(PlatformTransactionManager.class))).hasSize(1);
	}

}
