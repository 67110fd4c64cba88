package io.holdfast.sample.fencing;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.ReleaseResult;
import io.holdfast.sample.FreePort;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link FencedAccounts}.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE,
		properties = "spring.datasource.url=jdbc:h2:mem:fencing;LOCK_TIMEOUT=10000")
class FencedAccountsTests {

	private static final long ACCOUNT = 1;

	private static final LockRequest SHORT = LockRequest.of("account:" + ACCOUNT)
		.lease(Duration.ofMillis(500))
		.autoRenew(false);

	@Autowired
	private LockTemplate locks;

	@Autowired
	private FencedAccounts accounts;

	@DynamicPropertySource
	static void ownRedis(DynamicPropertyRegistry registry) {
		int redisPort = FreePort.find();
		registry.add("sample.redis-port", () -> redisPort);
	}

	@Test
	void refuseAHolderThatWasPausedUntilAnotherOneHasRead() {
		LockHandle paused = this.locks.acquire(SHORT);
		long before = this.accounts.findForUpdate(ACCOUNT, paused.fencingToken()).balance();
		try (LockHandle newer = CompletableFuture.supplyAsync(() -> this.locks.acquire("account:" + ACCOUNT)).join()) {
			long read = this.accounts.findForUpdate(ACCOUNT, newer.fencingToken()).balance();
			assertThatExceptionOfType(StaleTokenException.class)
				.isThrownBy(() -> this.accounts.writeBalance(ACCOUNT, before + 5, paused.fencingToken()))
				.withMessageContaining("Account 1 is refused");
			assertThatExceptionOfType(StaleTokenException.class)
				.isThrownBy(() -> this.accounts.findForUpdate(ACCOUNT, paused.fencingToken()));
			this.accounts.writeBalance(ACCOUNT, read + 30, newer.fencingToken());
			this.accounts.writeBalance(ACCOUNT, read + 40, newer.fencingToken());
		}
		assertThat(paused.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(balance()).isEqualTo(before + 40);
	}

	@Test
	void acceptAHolderThatHasLostItsLockAsLongAsNoOtherOneCame() {
		long before = balance();
		LockHandle paused = this.locks.acquire(SHORT);
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !paused.isHeld());
		this.accounts.writeBalance(ACCOUNT, before + 5, paused.fencingToken());
		assertThat(paused.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(balance()).isEqualTo(before + 5);
	}

	private long balance() {
		return this.accounts.find(ACCOUNT).balance();
	}

}
