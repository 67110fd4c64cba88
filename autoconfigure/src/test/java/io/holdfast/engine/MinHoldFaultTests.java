package io.holdfast.engine;

import java.time.Duration;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.redis.RedisStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of locks that are to be kept when requests and replies get lost or late.
 */
@Tag("slow")
class MinHoldFaultTests extends AbstractNetworkTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

	private static final int ALWAYS = 1_000_000;

	/**
	 * Longer than any of the tests.
	 */
	private static final Duration LONG = Duration.ofMinutes(2);

	private static final Duration SHORT = Duration.ofMillis(600);

	private LockHandle acquire(Duration minHold) {
		return this.one.template().acquire(request().minHold(minHold));
	}

	private HoldId hold(LockHandle handle) {
		return new HoldId(this.key, this.one.id() + ":" + Thread.currentThread().getId(), handle.fencingToken());
	}

	private boolean isDeniedHere() {
		return this.one.template().tryAcquire(oneTry()).isEmpty();
	}

	@Test
	void lockIsKeptAsSoonAsTheStoreCanBeTold() {
		LockHandle handle = acquire(LONG);
		this.network.loseRequests(Operation.KEEP, 3);
		assertThat(handle.release()).isEqualTo(ReleaseResult.PENDING);
		assertThat(this.one.registry().held()).isEmpty();
		await().until(() -> this.network.calls(Operation.KEEP) >= 4);
		await().until(() -> Claims.held(this.two.store(), this.key, hold(handle).owner()).isEmpty());
		assertThat(isFree()).isFalse();
		assertThat(isDeniedHere()).isTrue();
	}

	/**
	 * The store still has the hold as the owner's.
	 */
	@Test
	void ownerDoesNotGetInWhileTheStoreHasNotBeenTold() {
		LockHandle handle = acquire(LONG);
		this.network.loseRequests(Operation.KEEP, ALWAYS);
		handle.close();
		assertThat(isDeniedHere()).isTrue();
		assertThat(Claims.held(this.two.store(), this.key, hold(handle).owner())).containsExactly(hold(handle));
		assertThat(isFree()).isFalse();
		this.network.loseRequests(Operation.KEEP, 0);
		assertThat(isDeniedHere()).isTrue();
		assertThat(isFree()).isFalse();
	}

	@Test
	void shutdownKeepsWhatTheStoreHasNotBeenToldYet() {
		LockHandle handle = acquire(LONG);
		LockHandle held = this.one.template().acquire(LockRequest.of("held-" + this.key).minHold(LONG));
		this.network.loseRequests(Operation.KEEP, 1);
		handle.close();
		this.one.close();
		assertThat(isFree()).isFalse();
		assertThat(Claims.held(this.two.store(), this.key, hold(handle).owner())).isEmpty();
		assertThat(held.isHeld()).isFalse();
		assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFree(LockRequest.of("held-" + this.key))).isFalse();
	}

	@Test
	void whatHasExpiredIsNotKept() {
		LockHandle handle = this.one.template()
			.acquire(request().minHold(LONG).lease(Duration.ofMillis(100)).autoRenew(false));
		await().until(() -> !handle.isHeld());
		assertThat(handle.release()).isEqualTo(ReleaseResult.LOST);
		await().until(this::isFree);
	}

	@Test
	void lockIsKeptForLongerThanItsLease() {
		LockHandle handle = this.one.template().acquire(request().minHold(LONG).lease(SHORT).autoRenew(false));
		assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		await().during(SHORT.multipliedBy(2)).until(() -> !isFree());
	}

}
