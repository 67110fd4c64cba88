package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * How holders are told that a lock is gone.
 */
public abstract class AbstractLossTests extends AbstractNetworkTests {

	private static final String OTHER = "other-";

	private static final String UNRELATED = "unrelated-";

	@Test
	void listenerThatTakesItsTimeDelaysNoOtherLossAndNoRelease() {
		CountDownLatch end = new CountDownLatch(1);
		CompletableFuture<Boolean> told = new CompletableFuture<>();
		String third = "third-" + this.key;
		LockHandle slow = this.one.template().acquire(this.key);
		LockHandle other = this.one.template().acquire(OTHER + this.key);
		LockHandle joint = this.one.template().acquire(LockRequest.of(OTHER + this.key, third));
		slow.onLost((lock) -> Threads.await(end));
		other.onLost((lock) -> told.complete(true));
		stores().takeAway(this.key);
		stores().takeAway(OTHER + this.key);
		assertThat(slow.extend(Duration.ofMinutes(1))).isFalse();
		assertThat(other.extend(Duration.ofMinutes(1))).isFalse();
		assertThat(Threads.join(told)).isTrue();
		await().until(() -> isFree(LockRequest.of(third)));
		assertThat(joint.isHeld()).isFalse();
		end.countDown();
	}

	@Test
	void listenersThatHangDoNotDelayTheReleaseOfOtherKeys() {
		CountDownLatch hanging = new CountDownLatch(Listeners.MOST_THREADS);
		CountDownLatch end = new CountDownLatch(1);
		String third = "third-" + this.key;
		LockHandle slow = this.one.template().acquire(this.key);
		for (int i = 0; i < Listeners.MOST_THREADS; i++) {
			slow.onLost((lock) -> {
				hanging.countDown();
				Threads.await(end);
			});
		}
		LockHandle other = this.one.template().acquire(OTHER + this.key);
		LockHandle joint = this.one.template().acquire(LockRequest.of(OTHER + this.key, third));
		takeAway(slow, this.key);
		Threads.await(hanging);
		takeAway(other, OTHER + this.key);
		await().until(() -> isFree(LockRequest.of(third)));
		assertThat(joint.isHeld()).isFalse();
		end.countDown();
	}

	@Test
	void lockThatIsGoneIsNoticedWhileAnotherThreadWaitsForIt() {
		Duration lease = Duration.ofSeconds(15);
		LockHandle gone = this.one.template()
			.acquire(LockRequest.of(this.key).lease(lease).autoRenew(false).ownedByHandle());
		CompletableFuture<ReleaseResult> waiter = Threads.start(() -> this.one.template().acquire(request()).release());
		awaitWaiting(1);
		stores().takeAway(this.key);
		await().atMost(lease.dividedBy(2)).until(waiter::isDone);
		assertThat(Threads.join(waiter)).isEqualTo(ReleaseResult.RELEASED);
		assertThat(gone.isHeld()).isFalse();
		await().until(() -> this.one.events().lost().size() == 1);
	}

	@Test
	void lossIsNoticedInTimeAlthoughTheLeaseWasLongerOnce() {
		Duration lease = Duration.ofSeconds(3);
		LockHandle extended = this.one.template().acquire(request().lease(lease));
		extended.extend(Duration.ofMinutes(5));
		LockHandle nesting = this.one.template().acquire(LockRequest.of(OTHER + this.key).lease(lease));
		this.one.template().acquire(LockRequest.of(OTHER + this.key).lease(Duration.ofMinutes(5))).close();
		stores().takeAway(this.key);
		stores().takeAway(OTHER + this.key);
		await().atMost(lease.multipliedBy(5)).until(() -> this.one.events().lost().size() == 2);
		assertThat(List.of(extended, nesting)).noneMatch(LockHandle::isHeld);
	}

	@Test
	void lossesAreToldWhileTheStoreDoesNotAnswerReleases() {
		LockHandle outer = this.one.template().acquire(this.key);
		LockHandle joint = this.one.template().acquire(LockRequest.of(this.key, OTHER + this.key));
		LockHandle unrelated = this.one.template().acquire(UNRELATED + this.key);
		CountDownLatch told = new CountDownLatch(2);
		joint.onLost((handle) -> told.countDown());
		unrelated.onLost((handle) -> told.countDown());
		CountDownLatch answered = new CountDownLatch(1);
		this.network.beforeRequests(Operation.RELEASE, 10, () -> Threads.await(answered));
		takeAway(outer, this.key);
		await().until(() -> this.network.calls(Operation.RELEASE) > 0);
		await().until(() -> this.one.events().lost().size() == 1);
		takeAway(unrelated, UNRELATED + this.key);
		Threads.await(told);
		await().until(() -> this.one.registry().held().isEmpty());
		assertThat(isFree(LockRequest.of(OTHER + this.key))).isFalse();
		answered.countDown();
		await().until(() -> isFree(LockRequest.of(OTHER + this.key)));
		await().untilAsserted(() -> assertThat(this.one.events().lost()).extracting(LockSnapshot::keys)
			.containsExactly(List.of(this.key), List.of(UNRELATED + this.key)));
		assertThat(joint.release()).isEqualTo(ReleaseResult.LOST);
	}

	@Test
	void partsSayWhichOfThemWasLost() {
		LockHandle outer = this.one.template().acquire(this.key);
		LockHandle joint = this.one.template().acquire(LockRequest.of(this.key, OTHER + this.key));
		stores().takeAway(OTHER + this.key);
		assertThat(joint.extend(Duration.ofMinutes(1))).isFalse();
		await().until(() -> outer.holdCount() == 1);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(joint::ensureHeld)
			.withMessageContaining("'%s%s'", OTHER, this.key)
			.withStackTraceContaining("taken away");
		assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void listenersOfReleasedHandlesAreNotTold() {
		List<String> told = Collections.synchronizedList(new ArrayList<>());
		LockHandle outer = this.one.template().acquire(this.key);
		LockHandle inner = this.one.template().acquire(this.key);
		LockHandle joint = this.one.template().acquire(LockRequest.of(this.key, OTHER + this.key));
		inner.onLost((handle) -> told.add("inner"));
		joint.onLost((handle) -> told.add("joint"));
		outer.onLost((handle) -> told.add("outer"));
		inner.release();
		joint.release();
		takeAway(outer, this.key);
		await().until(() -> told.contains("outer"));
		inner.onLost((handle) -> told.add("late"));
		assertThat(told).containsExactly("outer");
	}

	@Test
	void lossThatAReleaseFindsIsToldToTheHandleItself() {
		List<String> told = Collections.synchronizedList(new ArrayList<>());
		LockHandle outer = this.one.template().acquire(this.key);
		LockHandle inner = this.one.template().acquire(this.key);
		LockHandle only = this.one.template().acquire(UNRELATED + this.key);
		outer.onLost((handle) -> told.add("outer"));
		inner.onLost((handle) -> told.add("inner"));
		only.onLost((handle) -> told.add("only"));
		stores().takeAway(this.key);
		stores().takeAway(UNRELATED + this.key);
		assertThat(inner.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(only.release()).isEqualTo(ReleaseResult.LOST);
		await().untilAsserted(() -> assertThat(told).containsExactlyInAnyOrder("outer", "inner", "only"));
	}

	@Test
	void releaseWhileALossIsBeingToldDoesNotKeepItFromTheHandle() {
		List<LockHandle> told = Collections.synchronizedList(new ArrayList<>());
		LockHandle handle = this.one.template().acquire(this.key);
		handle.onLost(told::add);
		try (HeldUpLog log = new HeldUpLog(Losses.class, this.key)) {
			stores().takeAway(this.key);
			CompletableFuture<Boolean> extension = Threads.start(() -> handle.extend(Duration.ofMinutes(1)));
			log.awaitReached();
			assertThat(handle.release()).isEqualTo(ReleaseResult.LOST);
			assertThat(told).isEmpty();
			log.goOn();
			assertThat(Threads.join(extension)).isFalse();
		}
		await().until(() -> this.one.events().lost().size() == 1);
		await().untilAsserted(() -> assertThat(told).containsExactly(handle));
	}

	/**
	 * Take a lock away and have its holder find out.
	 */
	private void takeAway(LockHandle handle, String name) {
		stores().takeAway(name);
		assertThat(handle.extend(Duration.ofMinutes(1))).isFalse();
	}

}
