package io.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockUpgradeException;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Requests and replies that get lost or late when locks are released or downgraded.
 */
public abstract class AbstractReleaseFaultTests extends AbstractNetworkTests {

	private static final String OTHER = "other-";

	/**
	 * A lease that is not over before it is to be, on a machine that stands still for a
	 * moment.
	 */
	private static final Duration LONG = Duration.ofSeconds(3);

	@Test
	void releaseThatDoesNotGetThroughIsRepeatedInTheBackground() {
		LockHandle handle = this.one.template().acquire(this.key);
		this.network.loseRequests(Operation.RELEASE, 3);
		this.network.loseRequests(Operation.WITHDRAW, Integer.MAX_VALUE);
		assertThat(handle.release()).isEqualTo(ReleaseResult.PENDING);
		assertThat(handle.isHeld()).isFalse();
		await().until(this::isFree);
		assertThat(this.network.calls(Operation.RELEASE)).isEqualTo(4);
		assertThat(this.one.events().lost()).isEmpty();
	}

	@Test
	void releaseWhoseReplyWasLostIsNoLoss() {
		LockHandle handle = this.one.template().acquire(this.key);
		this.network.loseReplies(Operation.RELEASE, 1);
		assertThat(handle.release()).isEqualTo(ReleaseResult.PENDING);
		assertThat(isFree()).isTrue();
		await().until(() -> this.network.calls(Operation.RELEASE) == 2);
		assertThat(this.one.events().lost()).isEmpty();
	}

	@Test
	void threadGetsTheLockAgainWhileItsReleaseIsPending() {
		LockHandle first = this.one.template().acquire(this.key);
		this.network.loseRequests(Operation.RELEASE, 1);
		first.close();
		LockHandle second = this.one.template().acquire(oneTry());
		assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
		assertThat(second.holdCount()).isOne();
		await().during(Duration.ofMillis(200)).until(second::isHeld);
		assertThat(isFree()).isFalse();
		assertThat(second.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void countThatCouldNotBeReducedDoesNotKeepTheLock() {
		LockHandle outer = this.one.template().acquire(this.key);
		LockHandle inner = this.one.template().acquire(this.key);
		this.network.loseRequests(Operation.COUNT, 2);
		assertThat(inner.release()).isEqualTo(ReleaseResult.STILL_HELD);
		assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFree()).isTrue();
	}

	@Test
	void waiterGetsTheLockAlthoughTheReleaseBeforeItIsPending() {
		LockHandle first = this.one.template().acquire(this.key);
		CompletableFuture<Long> waiter = Threads.start(() -> {
			try (LockHandle handle = this.one.template().acquire(this.key)) {
				return handle.fencingToken();
			}
		});
		awaitWaiting(1);
		this.network.loseRequests(Operation.TRANSFER, 1);
		this.network.loseRequests(Operation.RELEASE, 5);
		assertThat(first.release()).isEqualTo(ReleaseResult.PENDING);
		assertThat(Threads.join(waiter)).isGreaterThan(first.fencingToken());
		await().until(this::isFree);
	}

	@Test
	void pendingReleaseIsRepeatedForAsLongAsAnExtendedLeaseLasts() {
		LockHandle handle = this.one.template().acquire(request().lease(LONG).autoRenew(false));
		assertThat(handle.extend(Duration.ofMinutes(1))).isTrue();
		this.network.loseRequests(Operation.RELEASE, Integer.MAX_VALUE);
		assertThat(handle.release()).isEqualTo(ReleaseResult.PENDING);
		pass(LONG);
		this.network.loseRequests(Operation.RELEASE, 0);
		await().until(this::isFree);
	}

	@Test
	void exclusiveLockIsRefusedToWhomBecomesAReaderMeanwhile() {
		LockHandle writer = this.one.template().acquire(this.key);
		LockHandle reader = this.one.template().acquire(request().shared());
		LockHandle inner = this.one.template().acquire(request().shared());
		CountDownLatch releasing = new CountDownLatch(1);
		CountDownLatch queued = new CountDownLatch(1);
		this.network.beforeRequest(Operation.COUNT, () -> {
			releasing.countDown();
			Threads.await(queued);
		});
		CompletableFuture<ReleaseResult> first = Threads.start(inner::release);
		Threads.await(releasing);
		CompletableFuture<ReleaseResult> second = Threads.start(writer::release);
		awaitBlockedOnALock(1);
		Threads.start(() -> {
			awaitBlockedOnALock(2);
			queued.countDown();
			return true;
		});
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> this.one.template().acquire(oneTry()))
			.withMessageContaining("holds the shared one");
		assertThat(Threads.join(first)).isEqualTo(ReleaseResult.STILL_HELD);
		assertThat(Threads.join(second)).isEqualTo(ReleaseResult.STILL_HELD);
		assertThat(Threads.call(() -> this.two.template().acquire(oneTry().shared()).release()))
			.isEqualTo(ReleaseResult.RELEASED);
		assertThat(reader.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	private static void awaitBlockedOnALock(int threads) {
		await().pollInterval(Duration.ofMillis(2))
			.until(() -> Thread.getAllStackTraces()
				.keySet()
				.stream()
				.map(LockSupport::getBlocker)
				.filter((blocker) -> blocker != null
						&& blocker.getClass().getName().startsWith(ReentrantLock.class.getName()))
				.count() == threads);
	}

	@Test
	void countOfWhatIsLeftOfALostPartIsToldTheStoreInTheBackground() {
		LockHandle outer = this.one.template().acquire(this.key);
		LockHandle reader = this.one.template().acquire(request().shared());
		LockHandle joint = this.one.template().acquire(LockRequest.of(this.key, OTHER + this.key));
		outer.release();
		this.network.loseRequests(Operation.DOWNGRADE, 2);
		stores().takeAway(OTHER + this.key);
		assertThat(joint.extend(Duration.ofMinutes(1))).isFalse();
		await().until(() -> isFree(request().shared()));
		assertThat(this.network.calls(Operation.DOWNGRADE)).isEqualTo(3);
		assertThat(reader.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFree()).isTrue();
	}

	@Test
	void downgradeThatDoesNotGetThroughIsRepeatedWhileTheLockIsHeld() {
		LockHandle writer = this.one.template().acquire(this.key);
		LockHandle reader = this.one.template().acquire(request().shared());
		this.network.loseRequests(Operation.DOWNGRADE, 2);
		assertThat(writer.release()).isEqualTo(ReleaseResult.STILL_HELD);
		await().until(() -> isFree(request().shared()));
		assertThat(this.network.calls(Operation.DOWNGRADE)).isEqualTo(3);
		assertThat(isFree()).isFalse();
		assertThat(reader.extend(Duration.ofMinutes(1))).isTrue();
		assertThat(reader.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFree()).isTrue();
	}

	@Test
	void downgradeWhoseReplyWasLostIsRepeatedInVain() {
		LockHandle writer = this.one.template().acquire(this.key);
		LockHandle reader = this.one.template().acquire(request().shared());
		this.network.loseReplies(Operation.DOWNGRADE, 1);
		assertThat(writer.release()).isEqualTo(ReleaseResult.STILL_HELD);
		assertThat(isFree(request().shared())).isTrue();
		await().until(() -> this.network.calls(Operation.COUNT) == 2);
		assertThat(this.network.calls(Operation.DOWNGRADE)).isEqualTo(2);
		assertThat(reader.extend(Duration.ofMinutes(1))).isTrue();
		assertThat(reader.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFree()).isTrue();
		assertThat(this.one.events().lost()).isEmpty();
	}

}
