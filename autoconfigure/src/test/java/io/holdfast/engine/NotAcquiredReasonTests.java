package io.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.LockView;
import io.holdfast.NotAcquiredReason;
import io.holdfast.local.LocalStores;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What listeners are told of locks that are not acquired.
 */
class NotAcquiredReasonTests {

	private static final LockRequest REQUEST = LockRequest.of("key");

	private static final LockRequest ONE_TRY = REQUEST.waitFor(Duration.ZERO);

	private final Function<String, LockStore> stores = new LocalStores()::open;

	private final TestInstance one = new TestInstance(this.stores);

	private final TestInstance two = new TestInstance(this.stores);

	@AfterEach
	void close() {
		this.one.close();
		this.two.close();
	}

	@Test
	void lockThatIsNotFreeInTime() {
		this.two.template().acquire(REQUEST);
		assertThat(this.one.template().tryAcquire(ONE_TRY)).isEmpty();
		assertThat(this.one.template().tryAcquire(REQUEST.waitFor(Duration.ofMillis(1)))).isEmpty();
		assertThat(this.one.registry().acquireAsync(ONE_TRY)).failsWithin(Duration.ofSeconds(10));
		assertTold(NotAcquiredReason.TIMEOUT, NotAcquiredReason.TIMEOUT, NotAcquiredReason.TIMEOUT);
	}

	@Test
	void callerThatCancelsItsFuture() {
		this.two.template().acquire(REQUEST);
		CompletableFuture<LockHandle> waiting = this.one.registry().acquireAsync(REQUEST);
		await().until(() -> this.one.registry().operations().waiting().size() == 1);
		waiting.cancel(false);
		await().until(() -> !this.one.events().notAcquired().isEmpty());
		assertTold(NotAcquiredReason.INTERRUPTED);
	}

	@Test
	void storeThatCannotBeAsked() {
		this.one.registry().stop(Duration.ZERO);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.one.template().acquire(REQUEST));
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> Threads.join(this.one.registry().acquireAsync(REQUEST)));
		assertTold(NotAcquiredReason.UNAVAILABLE, NotAcquiredReason.UNAVAILABLE);
	}

	@Test
	void threadThatHasNotUnlockedWhatItHasLost() {
		LockView view = this.one.registry().viewUntilLost(REQUEST);
		view.lock();
		this.two.registry().forceRelease("key");
		await().until(() -> !view.isHeldByCurrentThread());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(view::lock)
			.withMessageContaining("it is not held any more: ");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(view::tryLock);
		assertTold(NotAcquiredReason.REFUSED, NotAcquiredReason.REFUSED);
	}

	/**
	 * {@link RecordingListener} passes the reason on as a listener does that has never
	 * heard of any.
	 */
	private void assertTold(NotAcquiredReason... reasons) {
		assertThat(this.one.events().reasons()).containsExactly(reasons);
		assertThat(this.one.events().notAcquired()).hasSize(reasons.length);
	}

}
