package io.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A waiter that gives up while a releasing thread is handing it the lock, and asks again
 * in another way: whoever cleans up after its first request must leave the second alone.
 */
public abstract class AbstractChangedRequestTests extends AbstractStoreTests {

	private FaultyStore network;

	private TestInstance one;

	private TestInstance two;

	@BeforeEach
	void open() {
		this.one = closing(new TestInstance((id) -> this.network = new FaultyStore(stores().open(id))));
		this.two = newInstance();
	}

	static Stream<Named<UnaryOperator<LockRequest>>> ways() {
		return Stream.of(Named.of("fair", LockRequest::fair), Named.of("shared", LockRequest::shared),
				Named.of("several keys", (request) -> LockRequest.of(request.keys().get(0), "other").waitForever()));
	}

	@ParameterizedTest
	@MethodSource("ways")
	void keepsItsLockWhenTheReplyToTheHandOverIsSlow(UnaryOperator<LockRequest> way) {
		keepsItsLock(way, () -> {
		});
	}

	@ParameterizedTest
	@MethodSource("ways")
	void keepsItsLockWhenTheReplyToTheHandOverIsLost(UnaryOperator<LockRequest> way) {
		keepsItsLock(way, () -> {
			throw new LockStoreException("lost", null, true);
		});
	}

	private void keepsItsLock(UnaryOperator<LockRequest> way, Runnable fate) {
		CountDownLatch handingOver = new CountDownLatch(1);
		CountDownLatch askedAgain = new CountDownLatch(1);
		this.network.beforeReply(Operation.TRANSFER, () -> {
			handingOver.countDown();
			Threads.await(askedAgain);
			fate.run();
		});
		LockHandle first = this.one.template().acquire(LockRequest.of(this.key).ownedByHandle());
		CompletableFuture<LockHandle> second = new CompletableFuture<>();
		CountDownLatch end = new CountDownLatch(1);
		CompletableFuture<ReleaseResult> waiter = Threads.start(() -> {
			LockRequest request = LockRequest.of(this.key);
			assertThat(this.one.template().tryAcquire(request.waitFor(Duration.ofSeconds(2)))).isEmpty();
			second.complete(this.one.template().acquire(way.apply(request)));
			Threads.await(end);
			return second.join().release();
		});
		await().until(() -> this.one.registry().status().waiting() == 1);
		CompletableFuture<ReleaseResult> release = Threads.start(first::release);
		Threads.await(handingOver);
		LockHandle held = Threads.join(second);
		askedAgain.countDown();
		Threads.join(release);
		await().during(Duration.ofMillis(500)).until(() -> held.isHeld() && isTaken());
		end.countDown();
		assertThat(Threads.join(waiter)).isEqualTo(ReleaseResult.RELEASED);
	}

	private boolean isTaken() {
		LockRequest oneTry = LockRequest.of(this.key).waitFor(Duration.ZERO);
		return Threads.call(() -> this.two.template().tryAcquire(oneTry).map(LockHandle::release).isEmpty());
	}

}
