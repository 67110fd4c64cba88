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
import io.holdfast.ReleaseResult;
import io.holdfast.redis.RedisStores;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * How holders are told that a lock is gone.
 */
@Tag("slow")
class LossTests extends AbstractNetworkTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

	private static final String OTHER = "other-";

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

	/**
	 * Take a lock away and have its holder find out.
	 */
	private void takeAway(LockHandle handle, String name) {
		stores().takeAway(name);
		assertThat(handle.extend(Duration.ofMinutes(1))).isFalse();
	}

}
