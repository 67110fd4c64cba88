package io.holdfast.sample.fencing;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.ReleaseResult;
import io.holdfast.sample.FreePort;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests for {@link FencedAccounts} and for {@link Deposits}, which go by its rules.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE,
		properties = "spring.datasource.url=jdbc:h2:mem:fencing;LOCK_TIMEOUT=10000")
class FencedAccountsTests {

	private static final long ACCOUNT = 1;

	/**
	 * For a holder that is to lose its lock: nobody renews it.
	 */
	private static final LockRequest SHORT = LockRequest.of("account:" + ACCOUNT)
		.lease(Duration.ofMillis(500))
		.autoRenew(false);

	@Autowired
	private LockTemplate locks;

	@Autowired
	private FencedAccounts accounts;

	@Autowired
	private Deposits deposits;

	@DynamicPropertySource
	static void ownRedis(DynamicPropertyRegistry registry) {
		int redisPort = FreePort.find();
		registry.add("sample.redis-port", () -> redisPort);
	}

	@Test
	void refuseAHolderThatWasPausedUntilAnotherOneHasWritten() {
		long before = balance();
		StaleTokenException refusal = catchThrowableOfType(StaleTokenException.class,
				() -> this.locks.executeWithoutResult(SHORT, (paused) -> {
					long read = this.accounts.findForUpdate(ACCOUNT, paused.fencingToken()).balance();
					byAnother(() -> this.deposits.deposit(ACCOUNT, 30));
					assertThat(paused.isHeld()).isFalse();
					this.accounts.writeBalance(ACCOUNT, read + 5, paused.fencingToken());
				}));
		assertThat(refusal).hasMessageContaining("Account 1 is refused");
		assertThat(refusal.getSuppressed()).hasOnlyElementsOfType(LockLostException.class).hasSize(1);
		assertThat(balance()).isEqualTo(before + 30);
	}

	@Test
	void refuseAHolderThatWasPausedUntilAnotherOneHasRead() {
		long before = balance();
		LockHandle paused = this.locks.acquire(SHORT);
		this.accounts.findForUpdate(ACCOUNT, paused.fencingToken());
		try (LockHandle newer = byAnother(() -> this.locks.acquire("account:" + ACCOUNT))) {
			long read = this.accounts.findForUpdate(ACCOUNT, newer.fencingToken()).balance();
			assertThatExceptionOfType(StaleTokenException.class)
				.isThrownBy(() -> this.accounts.writeBalance(ACCOUNT, before + 5, paused.fencingToken()));
			assertThatExceptionOfType(StaleTokenException.class)
				.isThrownBy(() -> this.accounts.findForUpdate(ACCOUNT, paused.fencingToken()));
			this.accounts.writeBalance(ACCOUNT, read + 30, newer.fencingToken());
		}
		assertThat(paused.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(balance()).isEqualTo(before + 30);
	}

	@Test
	void acceptAHolderThatHasLostItsLockAsLongAsNoOtherOneCame() {
		long before = balance();
		LockHandle paused = this.locks.acquire(SHORT);
		Awaitility.await().until(() -> !paused.isHeld());
		this.accounts.writeBalance(ACCOUNT, before + 5, paused.fencingToken());
		assertThat(paused.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(balance()).isEqualTo(before + 5);
	}

	@Test
	void acceptTheTokenOfEachNewGrant() {
		long before = balance();
		assertThat(this.deposits.deposit(ACCOUNT, 1)).isEqualTo(before + 1);
		long firstToken = this.accounts.find(ACCOUNT).token();
		assertThat(byAnother(() -> this.deposits.deposit(ACCOUNT, 2))).isEqualTo(before + 3);
		assertThat(this.accounts.find(ACCOUNT).token()).isGreaterThan(firstToken);
		assertThat(this.deposits.deposit(ACCOUNT, 3)).isEqualTo(before + 6);
	}

	@Test
	void acceptSeveralWritesUnderOneToken() {
		long before = balance();
		this.locks.executeWithoutResult("account:" + ACCOUNT, (lock) -> {
			this.accounts.writeBalance(ACCOUNT, before + 1, lock.fencingToken());
			assertThat(this.deposits.deposit(ACCOUNT, 2)).isEqualTo(before + 3);
			assertThat(this.accounts.find(ACCOUNT).token()).isEqualTo(lock.fencingToken());
			this.accounts.writeBalance(ACCOUNT, before + 4, lock.fencingToken());
		});
		assertThat(balance()).isEqualTo(before + 4);
	}

	@Test
	void doNotTakeAnAccountThatIsNotThereForARefusal() {
		assertThatExceptionOfType(EmptyResultDataAccessException.class)
			.isThrownBy(() -> this.accounts.writeBalance(404, 1, 1));
	}

	private long balance() {
		return this.accounts.find(ACCOUNT).balance();
	}

	/**
	 * Let another thread do something, and wait for it. A lock that has not expired yet
	 * makes it wait for that.
	 */
	private static <T> T byAnother(Supplier<T> action) {
		return CompletableFuture.supplyAsync(action).join();
	}

}
