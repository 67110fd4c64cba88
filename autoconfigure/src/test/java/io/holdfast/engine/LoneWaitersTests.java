package io.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.LockRequest;
import io.holdfast.OnLost;
import io.holdfast.engine.LockStore.QueuePlace;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who can be woken, and when.
 */
class LoneWaitersTests {

	private static final EngineSettings SETTINGS = new EngineSettings("i", Duration.ofSeconds(30), Duration.ZERO, true,
			null, true, OnLost.THROW, 16);

	private final LoneWaiters waiters = new LoneWaiters();

	private final AtomicInteger wakeUps = new AtomicInteger();

	private LoneWaiter enter(@Nullable QueuePlace place) {
		return this.waiters.enter(new Claimant(Terms.of(LockRequest.of("k"), SETTINGS),
				new Owner.Factory("i").currentThread(), 1, false, place), this.wakeUps::incrementAndGet);
	}

	@Test
	void waiterIsWokenFromItsFirstAttemptUntilItIsGranted() {
		LoneWaiter waiter = enter(new QueuePlace("i:1#1", Duration.ofSeconds(1)));
		assertThat(this.waiters.wakeUp("i:1#1")).isFalse();
		waiter.expectWakeUp();
		assertThat(this.waiters.wakeUp("i:1#1")).isTrue();
		assertThat(this.waiters.wakeUp("i:1#2")).isFalse();
		waiter.granted();
		assertThat(this.waiters.wakeUp("i:1#1")).isFalse();
	}

	@Test
	void grantThatIsOfNoUseLetsItWaitAgain() {
		LoneWaiter waiter = enter(new QueuePlace("i:1#1", Duration.ofSeconds(1)));
		waiter.expectWakeUp();
		waiter.granted();
		waiter.expectWakeUp();
		assertThat(this.waiters.wakeUp("i:1#1")).isTrue();
		assertThat(waiter.isWoken()).isTrue();
		assertThat(this.wakeUps).hasValue(1);
		waiter.end();
		assertThat(this.waiters.wakeUp("i:1#1")).isFalse();
	}

	@Test
	void whoDoesNotWaitIsNotFound() {
		LoneWaiter waiter = enter(null);
		waiter.expectWakeUp();
		this.waiters.wakeUpAll();
		waiter.end();
		assertThat(this.waiters.wakeUp("i:1#1")).isFalse();
	}

}
