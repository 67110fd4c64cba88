package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.redis.RedisStores;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How a lock goes from one caller to the next within an instance, and what happens when
 * something comes in between.
 */
@Tag("slow")
class HandoverTests extends AbstractNetworkTests {

	private static final RedisProcess server = new RedisProcess();

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis(server);

	/**
	 * For waiters that leave, but not before they are seen waiting.
	 */
	private static final Duration AWHILE = Duration.ofSeconds(3);

	/**
	 * The store is to be asked each time.
	 */
	@Override
	Duration handoverCheck() {
		return Duration.ZERO;
	}

	private CompletableFuture<LockHandle> waiter() {
		return waiter(request().ownedByHandle());
	}

	@Test
	void waitersOfOneInstanceGetTheLockInOrder() {
		int waiters = 5;
		LockHandle first = this.one.template().acquire(this.key);
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		for (int i = 0; i < waiters; i++) {
			waiting.add(waiter());
		}
		long token = first.fencingToken();
		assertThat(first.release()).isEqualTo(ReleaseResult.RELEASED);
		for (CompletableFuture<LockHandle> next : waiting) {
			LockHandle handle = Threads.join(next);
			assertThat(handle.fencingToken()).isGreaterThan(token);
			assertThat(handle.isHeld()).isTrue();
			token = handle.fencingToken();
			assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		}
		assertThat(isFree()).isTrue();
	}

	/**
	 * What a waiter asked for that has left may be carried out while another is inside.
	 */
	@Test
	void grantThatALateHandoverNamesIsNotEntered() {
		LockHandle first = this.one.template().acquire(this.key);
		CompletableFuture<Boolean> left = new CompletableFuture<>();
		CompletableFuture<LockHandle> again = Threads.start(() -> {
			left.complete(this.one.template().tryAcquire(request().waitFor(AWHILE)).isEmpty());
			LockHandle handle = this.one.template().acquire(request());
			this.network.carryOutDelayed();
			assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
			return handle;
		});
		awaitWaiting(1);
		CompletableFuture<LockHandle> leaver = this.one.template().acquireAsync(request());
		await().until(() -> this.one.registry().status().acquiring() == 2);
		this.network.beforeReply(Operation.TRANSFER, () -> {
			assertThat(Threads.join(left)).isTrue();
			await().until(() -> this.one.registry().status().acquiring() == 2);
			this.network.delayRequest(Operation.TRANSFER, () -> leaver.cancel(false));
		});
		assertThat(first.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(Threads.join(again).fencingToken()).isGreaterThan(first.fencingToken());
		assertThat(isFree()).isTrue();
	}

	/**
	 * After a fail-over to a server that has lost everything, and whose clock is behind.
	 */
	@Test
	void waiterWhoseClaimHasUsedGreaterTokensGetsTheLock() {
		long ahead = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()) + TimeUnit.HOURS.toMicros(1);
		server.with((redis) -> redis.set("holdfast:{" + this.key + "}:token", Long.toString(ahead)));
		LockHandle first = this.one.template().acquire(this.key);
		CompletableFuture<LockHandle> waiter = waiter();
		this.network.delayRequest(Operation.TRANSFER, () -> server.with(Jedis::flushAll));
		first.release();
		LockHandle second = Threads.join(waiter);
		assertThat(second.fencingToken()).isLessThan(first.fencingToken());
		assertThat(isFree()).isFalse();
		assertThat(second.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	static Stream<Named<UnaryOperator<LockRequest>>> ways() {
		return Stream.of(Named.of("fair", LockRequest::fair), Named.of("shared", LockRequest::shared),
				Named.of("several keys", (request) -> LockRequest.of(request.keys().get(0), "other").waitForever()));
	}

	/**
	 * What cleans up after its first request must leave the second alone.
	 */
	@ParameterizedTest
	@MethodSource("ways")
	void waiterThatLeavesAndAsksInAnotherWayKeepsItsLock(UnaryOperator<LockRequest> way) {
		CountDownLatch handingOver = new CountDownLatch(1);
		CountDownLatch askedAgain = new CountDownLatch(1);
		this.network.beforeReply(Operation.TRANSFER, () -> {
			handingOver.countDown();
			Threads.await(askedAgain);
			throw new LockStoreException("lost", null, true);
		});
		LockHandle first = this.one.template().acquire(request().ownedByHandle());
		CompletableFuture<LockHandle> second = new CompletableFuture<>();
		CountDownLatch end = new CountDownLatch(1);
		CompletableFuture<ReleaseResult> waiter = Threads.start(() -> {
			assertThat(this.one.template().tryAcquire(request().waitFor(AWHILE))).isEmpty();
			second.complete(this.one.template().acquire(way.apply(request())));
			Threads.await(end);
			return second.join().release();
		});
		awaitWaiting(1);
		CompletableFuture<ReleaseResult> release = Threads.start(first::release);
		Threads.await(handingOver);
		LockHandle held = Threads.join(second);
		askedAgain.countDown();
		Threads.join(release);
		await().during(Duration.ofMillis(500)).until(() -> held.isHeld() && !isFree());
		end.countDown();
		assertThat(Threads.join(waiter)).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void waiterFindsTheLockThatItWasHandedByALostReply() {
		LockHandle first = this.one.template().acquire(this.key);
		CompletableFuture<LockHandle> waiter = waiter();
		this.network.loseReplies(Operation.TRANSFER, 1);
		assertThat(first.release()).isEqualTo(ReleaseResult.PENDING);
		LockHandle second = Threads.join(waiter);
		assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
		await().until(() -> this.network.calls(Operation.RELEASE) >= 1);
		assertThat(isFree()).isFalse();
		assertThat(second.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFree()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void waiterWhoseTimeRunsOutWhileItIsHandedTheLockLeavesAtOnceAndTheLockIsPassedOn(boolean handed) {
		LockHandle first = this.one.template().acquire(this.key);
		CompletableFuture<Boolean> leaver = Threads
			.start(() -> this.one.template().tryAcquire(request().waitFor(AWHILE)).isPresent());
		awaitWaiting(1);
		CompletableFuture<LockHandle> patient = waiter();
		Runnable leave = () -> assertThat(Threads.join(leaver)).isFalse();
		this.network.around(Operation.TRANSFER, handed ? FaultyStore::nothing : leave,
				handed ? leave : FaultyStore::nothing);
		assertThat(first.release()).isEqualTo(ReleaseResult.RELEASED);
		LockHandle handle = Threads.join(patient);
		assertThat(handle.isHeld()).isTrue();
		assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(this.one.registry().held()).isEmpty();
		assertThat(isFree()).isTrue();
	}

}
