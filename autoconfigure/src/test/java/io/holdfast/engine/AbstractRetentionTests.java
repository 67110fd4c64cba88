package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * How a lock stays with the instance that has released it, and who gets it all the same.
 */
public abstract class AbstractRetentionTests extends AbstractNetworkTests {

	private static final Duration LEASE = Duration.ofHours(1);

	private static final Duration RETAIN = Duration.ofMinutes(10);

	@BeforeEach
	void listen() {
		listen(this.one.registry());
		listen(this.two.registry());
	}

	private static void listen(HoldfastLockRegistry registry) {
		registry.operations().announce(Map::of);
		await().until(() -> registry.status().subscription() == Subscription.ACTIVE);
	}

	/**
	 * Long enough to not ask again before a test ends.
	 */
	@Override
	Duration handoverCheck() {
		return Duration.ofMinutes(5);
	}

	@Override
	LockRequest request() {
		return super.request().lease(LEASE).retain(RETAIN);
	}

	/**
	 * Acquire the lock and release it.
	 * @return its token
	 */
	private long use(LockRequest request) {
		LockHandle handle = this.one.template().acquire(request);
		assertThat(handle.isHeld()).isTrue();
		assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		return handle.fencingToken();
	}

	private long use() {
		return use(request());
	}

	/**
	 * Acquire the lock and release it, so that it is retained.
	 */
	private void retain() {
		use();
		assertThat(isRetained()).isTrue();
		assertThat(this.one.registry().operations().retainedCount()).isOne();
	}

	private Optional<Holder> holder() {
		return this.two.store()
			.view()
			.look(List.of(this.key))
			.stream()
			.flatMap((state) -> state.holders().stream())
			.findFirst();
	}

	private boolean isRetained() {
		return holder().filter((holder) -> StoreView.isRetained(holder.owner())).isPresent();
	}

	/**
	 * Ask until there is a lock: a single try waits for 50 ms, and a machine may stand
	 * still for longer.
	 */
	private static LockHandle acquire(TestInstance instance, LockRequest request) {
		return await().until(() -> instance.template().tryAcquire(request), Optional::isPresent).orElseThrow();
	}

	private int asked() {
		return this.network.calls(Operation.ACQUIRE) + this.network.calls(Operation.TRANSFER)
				+ this.network.calls(Operation.RELEASE) + this.network.calls(Operation.RENEW);
	}

	@Test
	void retainedLockIsReleasedOnDemand() {
		retain();
		this.one.registry().operations().releaseRetained();
		assertThat(this.one.registry().operations().retainedCount()).isZero();
		await().untilAsserted(() -> assertThat(holder()).isEmpty());
	}

	@Test
	void nextCallersOfTheInstanceAreInWithoutTheStore() {
		long last = use();
		int asked = asked();
		assertThat(isRetained()).isTrue();
		for (int i = 0; i < 20; i++) {
			long token = (i % 2 == 0) ? use() : Threads.call(() -> use(request().waitFor(Duration.ZERO)));
			assertThat(token).isGreaterThan(last);
			last = token;
		}
		assertThat(asked()).isEqualTo(asked);
		assertThat(this.one.registry().operations().retainedCount()).isOne();
		assertThat(this.one.registry().held()).isEmpty();
	}

	@Test
	void onlyItsInstanceKnowsThatItIsNotLocked() {
		retain();
		assertThat(this.one.registry().lock(this.key).isLocked()).isFalse();
		assertThat(this.two.registry().lock(this.key).isLocked()).isTrue();
		try (LockHandle handle = Threads.call(() -> this.one.template().acquire(request()))) {
			assertThat(isRetained()).isTrue();
			assertThat(this.one.registry().lock(this.key).isLocked()).isTrue();
			assertThat(handle.isHeld()).isTrue();
		}
		assertThat(this.two.registry().forceRelease(this.key)).isTrue();
		assertThat(this.two.registry().lock(this.key).isLocked()).isFalse();
	}

	@Test
	void asynchronousCallersAreInWithoutTheStore() {
		use();
		int asked = asked();
		LockHandle handle = Threads.join(this.one.registry().acquireAsync(request()));
		assertThat(handle.isHeld()).isTrue();
		assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(asked()).isEqualTo(asked);
	}

	@Test
	void anotherInstanceGetsItWithOneTry() {
		long token = use();
		assertThat(isRetained()).isTrue();
		LockHandle other = acquire(this.two, oneTry());
		assertThat(other.fencingToken()).isGreaterThan(token);
		assertThat(this.one.registry().operations().retainedCount()).isZero();
		assertThat(Threads.call(() -> this.one.template().tryAcquire(oneTry()))).isEmpty();
		other.close();
	}

	/**
	 * A machine may stand still for longer than the lock is waited for then, but not each
	 * time.
	 */
	@ParameterizedTest
	@ValueSource(longs = { 0, 1, 100_000 })
	void anotherInstanceGetsItHoweverShortItWaits(long nanos) {
		List<UnaryOperator<LockRequest>> ways = List.of(UnaryOperator.identity(), LockRequest::fair,
				LockRequest::ownedByHandle);
		for (UnaryOperator<LockRequest> way : ways) {
			LockRequest brief = way.apply(request().retain(Duration.ZERO).waitFor(Duration.ofNanos(nanos)));
			await().until(() -> {
				acquire(this.one, request()).close();
				assertThat(isRetained()).isTrue();
				Optional<LockHandle> other = this.two.template().tryAcquire(brief);
				other.ifPresent(LockHandle::close);
				return other.isPresent();
			});
		}
	}

	@Test
	void anotherInstanceGetsItWhileItWaits() {
		retain();
		LockHandle other = Threads.call(() -> this.two.template().acquire(request().retain(Duration.ZERO)));
		assertThat(other.isHeld()).isTrue();
		other.close();
		assertThat(holder()).isEmpty();
	}

	@Test
	void whatIsInUseIsNotGivenBack() {
		use();
		LockHandle inside = this.one.template().acquire(request());
		assertThat(this.two.template().tryAcquire(oneTry())).isEmpty();
		await().until(() -> holder().filter((holder) -> holder.owner().equals(ownerOf(this.one))).isPresent());
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.two.template().acquire(oneTry()))
			.satisfies((ex) -> assertThat(ex.getHolder()).isEqualTo(ownerOf(this.one)));
		assertThat(inside.isHeld()).isTrue();
		assertThat(inside.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFree()).isTrue();
	}

	/**
	 * Neither a place in the queue nor a message could get it back.
	 */
	@Test
	void whatIsSharedIsNotGivenBack() {
		use();
		LockHandle exclusive = this.one.template().acquire(request());
		LockHandle shared = this.one.template().acquire(request().retain(Duration.ZERO).shared());
		assertThat(exclusive.release()).isEqualTo(ReleaseResult.STILL_HELD);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.two.template().acquire(oneTry().retain(Duration.ZERO)))
			.satisfies((ex) -> assertThat(ex.getHolder()).isNotNull().isEqualTo(ownerOf(this.one)));
		assertThat(holder()).map(Holder::owner).contains(ownerOf(this.one));
		assertThat(this.two.template().tryAcquire(oneTry().retain(Duration.ZERO).shared())).isPresent();
		assertThat(shared.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	private static String ownerOf(TestInstance instance) {
		return instance.registry().held().iterator().next().owner();
	}

	/**
	 * Also where the store is asked as soon as the caller is inside.
	 */
	@Test
	void storeIsToldWhoUsesItForLonger() {
		TestInstance instance = closing(TestInstance.passing((id) -> stores().open(id), Duration.ofMillis(1)));
		listen(instance.registry());
		instance.template().acquire(request()).close();
		assertThat(isRetained()).isTrue();
		pass(Duration.ofMillis(2));
		LockHandle inside = instance.template().acquire(request());
		await().until(() -> holder().filter((holder) -> holder.owner().equals(ownerOf(instance))).isPresent());
		assertThat(inside.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void withNoneAllowedARequestForItIsRefused() {
		TestInstance instance = closing(TestInstance.retaining((id) -> stores().open(id), 0));
		assertThatIllegalArgumentException().isThrownBy(() -> instance.template().acquire(request()))
			.withMessageContaining("retain");
		instance.template().acquire(request().retain(Duration.ZERO)).close();
		assertThat(holder()).isEmpty();
	}

	@Test
	void whoWaitsMeanwhileGetsItAtTheEndOfTheSection() {
		use();
		LockHandle inside = this.one.template().acquire(request());
		CompletableFuture<LockHandle> other = Threads.start(() -> this.two.template().acquire(request()));
		await().until(() -> this.two.registry().status().waiting() == 1);
		assertThat(inside.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(Threads.join(other).isHeld()).isTrue();
	}

	@Test
	void anotherLeaseIsAskedFor() {
		long token = use();
		int transfers = this.network.calls(Operation.TRANSFER);
		assertThat(use(oneTry().lease(Duration.ofMinutes(30)))).isGreaterThan(token);
		assertThat(this.network.calls(Operation.TRANSFER)).isGreaterThan(transfers);
		assertThat(this.network.calls(Operation.ACQUIRE)).isOne();
	}

	@Test
	void leaseThatIsNotRenewedIsAskedFor() {
		use();
		assertThat(use(oneTry().autoRenew(false).retain(Duration.ZERO))).isPositive();
		assertThat(this.network.calls(Operation.ACQUIRE)).isOne();
		assertThat(holder()).isEmpty();
	}

	@Test
	void otherWaysOfTheInstanceGetItWithOneTry() {
		List<UnaryOperator<LockRequest>> ways = List.of(LockRequest::fair, LockRequest::shared,
				(request) -> request.keys(List.of(this.key, this.key + "-2")));
		for (UnaryOperator<LockRequest> way : ways) {
			retain();
			LockRequest other = way.apply(oneTry().retain(Duration.ZERO));
			LockHandle handle = this.one.template().tryAcquire(other).orElseThrow();
			assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		}
		assertThat(holder()).isEmpty();
	}

	@Test
	void isGivenBackWhenTheTimeIsOver() {
		use(request().retain(Duration.ofMillis(20)));
		assertThat(this.network.calls(Operation.TRANSFER)).isOne();
		await().until(() -> holder().isEmpty());
		await().until(() -> this.one.registry().operations().retainedCount() == 0);
		assertThat(use()).isPositive();
	}

	@Test
	void oldestIsGivenBackWhenThereAreTooMany() {
		TestInstance few = closing(TestInstance.retaining((id) -> stores().open(id), 2));
		listen(few.registry());
		List<String> keys = List.of(this.key + "-a", this.key + "-b", this.key + "-c");
		keys.forEach((key) -> few.template().acquire(LockRequest.of(key).retain(RETAIN)).close());
		assertThat(few.registry().operations().retainedCount()).isEqualTo(2);
		await().until(() -> this.two.store().view().look(keys).size() == 2);
		assertThat(this.two.store().view().look(keys)).extracting(StoreView.KeyState::key)
			.containsExactly(keys.get(1), keys.get(2));
	}

	@Test
	void shutdownGivesItBack() {
		retain();
		this.one.registry().stop(Duration.ofSeconds(5));
		assertThat(holder()).isEmpty();
	}

	@Test
	void operatorsReleaseItByForce() {
		long token = use();
		assertThat(this.two.registry().operations().forceRelease(this.key, null, Duration.ofSeconds(20)).isReleased())
			.isTrue();
		await().until(() -> this.one.registry().operations().retainedCount() == 0);
		assertThat(use()).isGreaterThan(token);
		assertThat(this.one.events().lost()).isEmpty();
	}

	@Test
	void lossIsToldToTheNextSection() {
		TestInstance instance = closing(TestInstance.passing((id) -> stores().open(id), Duration.ofMillis(1)));
		listen(instance.registry());
		instance.template().acquire(request()).close();
		Holder retained = holder().orElseThrow();
		assertThat(this.two.store().release(new HoldId(this.key, retained.owner(), retained.token()))).isTrue();
		pass(Duration.ofMillis(2));
		LockHandle inside = instance.template().acquire(request());
		CountDownLatch lost = new CountDownLatch(1);
		inside.onLost((handle) -> lost.countDown());
		Threads.await(lost);
		assertThat(inside.isHeld()).isFalse();
		assertThat(inside.release()).isEqualTo(ReleaseResult.LOST);
	}

	@Test
	void lostReplyLeavesNothing() {
		LockHandle handle = this.one.template().acquire(request());
		this.network.loseReplies(Operation.TRANSFER, 1);
		assertThat(handle.release()).isEqualTo(ReleaseResult.PENDING);
		await().until(() -> holder().isEmpty());
		assertThat(use()).isGreaterThan(handle.fencingToken());
	}

	@Test
	void settingIsForAllThatCanBeRetained() {
		TestInstance instance = closing(TestInstance.retaining((id) -> stores().open(id), 10));
		listen(instance.registry());
		LockRequest plain = LockRequest.of(this.key).lease(LEASE);
		for (LockRequest request : List.of(plain.fair(), plain.shared(), plain.autoRenew(false),
				plain.keys(List.of(this.key, this.key + "-2")), plain.retain(Duration.ZERO))) {
			instance.template().acquire(request).close();
			assertThat(instance.registry().operations().retainedCount()).isZero();
		}
		instance.template().acquire(plain).close();
		assertThat(instance.registry().operations().retainedCount()).isOne();
	}

	@ParameterizedTest
	@ValueSource(strings = { "fair", "shared", "several", "minHold", "autoRenew" })
	void requestThatCannotHaveItIsRefused(String option) {
		LockRequest request = switch (option) {
			case "fair" -> request().fair();
			case "shared" -> request().shared();
			case "several" -> request().keys(List.of(this.key, this.key + "-2"));
			case "minHold" -> request().minHold(Duration.ofSeconds(1));
			default -> request().autoRenew(false);
		};
		assertThatIllegalArgumentException().isThrownBy(() -> this.one.template().acquire(request))
			.withMessageContaining("retain")
			.withMessageContaining(this.key);
		assertThat(this.one.events().notAcquired()).isEmpty();
		assertThat(this.one.registry().status().acquiring()).isZero();
	}

}
