package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.redis.RedisStores;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Renewals that get lost or late, and what is lost by that.
 */
@Tag("slow")
class RenewalFaultTests extends AbstractNetworkTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

	private static final Duration SHORT = Duration.ofMillis(300);

	/**
	 * A lease that is not over before it is to be, on a machine that stands still for a
	 * moment.
	 */
	private static final Duration LONG = Duration.ofSeconds(3);

	/**
	 * A lease that is renewed in time, on a machine that stands still for a moment.
	 */
	private static final Duration RENEWED = Duration.ofSeconds(6);

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void lateReplyToARenewalConcernsNothingThatIsHeldByThen(boolean handedOn) {
		CountDownLatch next = new CountDownLatch(1);
		CountDownLatch answered = new CountDownLatch(1);
		this.network.around(Operation.RENEW, () -> Threads.await(next), answered::countDown);
		LockHandle first = this.one.template().acquire(request().lease(RENEWED));
		CompletableFuture<LockHandle> waiter = handedOn ? acquire(this.one, request().ownedByHandle()) : null;
		await().until(() -> this.network.calls(Operation.RENEW) > 0);
		assertThat(first.release()).isEqualTo(ReleaseResult.RELEASED);
		LockHandle second = (waiter != null) ? Threads.join(waiter) : this.one.template().acquire(request());
		next.countDown();
		Threads.await(answered);
		await().during(SHORT).until(() -> second.isHeld() && this.one.events().lost().isEmpty());
		assertThat(second.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void lossByFailedRenewalsIsToldWithItsCause() {
		LockHandle handle = this.one.template().acquire(request().lease(Duration.ofSeconds(5)));
		this.network.loseRequests(Operation.RENEW, Integer.MAX_VALUE);
		await().until(() -> this.one.events().lost().size() == 1);
		assertThat(handle.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::ensureHeld)
			.withMessageContaining("its lease ran out; it could not be renewed: ")
			.havingRootCause()
			.withMessage("lost");
		await().until(this::isFree);
		assertThat(handle.release()).isEqualTo(ReleaseResult.LOST);
	}

	@Test
	void whatALostHoldHasLeftInTheStoreIsReleasedWhenItsSectionEnds() {
		LockHandle handle = this.one.template().acquire(request().lease(LONG).autoRenew(false));
		LockStore.HoldId hold = new LockStore.HoldId(this.key, this.one.registry().held().iterator().next().owner(),
				handle.fencingToken());
		this.two.store().renew(List.of(new LockStore.Renewal(hold, Duration.ofMinutes(1))));
		await().until(() -> this.one.events().lost().size() == 1);
		assertThat(isFree()).isFalse();
		assertThat(handle.release()).isEqualTo(ReleaseResult.LOST);
		await().until(this::isFree);
	}

	/**
	 * Begin to hold a lock that the store has for longer than is known here.
	 */
	private LockHandle holdTooLong(LockRequest request) {
		LockHandle handle = this.one.registry().acquireOrThrow(request.lease(LONG).autoRenew(false));
		this.network.loseReplies(Operation.RENEW, 2);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> handle.extend(Duration.ofMinutes(10)));
		return handle;
	}

	private void awaitLosses(int losses) {
		await().until(() -> this.one.events().lost().size() == losses);
	}

	@Test
	void threadGetsWhatItHasLostInASingleTry() {
		LockHandle first = holdTooLong(request());
		LockHandle shared = holdTooLong(LockRequest.of("shared-" + this.key).shared());
		LockHandle several = holdTooLong(LockRequest.of("a-" + this.key, "b-" + this.key));
		LockHandle viewed = holdTooLong(LockRequest.of("viewed-" + this.key));
		awaitLosses(4);
		List<LockHandle> again = Stream
			.of(request(), LockRequest.of("shared-" + this.key), LockRequest.of("b-" + this.key, "c-" + this.key),
					LockRequest.of("a-" + this.key).shared().fair())
			.map((request) -> this.one.registry().tryAcquire(request.waitFor(Duration.ZERO)).orElseThrow())
			.toList();
		Lock view = this.one.registry().lock("viewed-" + this.key);
		assertThat(view.tryLock()).isTrue();
		assertThat(again.get(0).fencingToken()).isGreaterThan(first.fencingToken());
		assertThat(List.of(first, shared, several, viewed)).extracting(LockHandle::release)
			.containsOnly(ReleaseResult.LOST);
		assertThat(again).allMatch(LockHandle::isHeld);
		assertThat(isFree()).isFalse();
		assertThat(again).extracting(LockHandle::release).containsOnly(ReleaseResult.RELEASED);
		view.unlock();
		assertThat(isFree()).isTrue();
	}

}
