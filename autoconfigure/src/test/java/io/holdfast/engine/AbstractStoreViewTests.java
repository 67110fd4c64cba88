package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.LockUnavailableException;
import io.holdfast.LockView;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.engine.StoreView.ForcedRelease;
import io.holdfast.engine.StoreView.HeldKeys;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.engine.StoreView.KeyState;
import io.holdfast.test.Threads;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * What operators see of locks, and do to them.
 */
public abstract class AbstractStoreViewTests extends AbstractNetworkTests {

	private static final Duration AMPLE = Duration.ofSeconds(20);

	private StoreView view;

	@BeforeEach
	void lookFromTheSecondInstance() {
		this.view = this.two.registry().operations().view();
	}

	private KeyState look() {
		List<KeyState> states = this.view.look(List.of(this.key));
		assertThat(states).hasSize(1);
		return states.get(0);
	}

	// Looking

	@Test
	void exclusiveHolderIsSeen() {
		LockHandle lock = this.one.template().acquire(request().lease(Duration.ofSeconds(20)));
		this.one.template().acquire(this.key);
		KeyState state = look();
		assertThat(state.key()).isEqualTo(this.key);
		assertThat(state.mode()).isEqualTo(LockMode.EXCLUSIVE);
		assertThat(state.waiters()).isEmpty();
		assertThat(state.holders()).singleElement().satisfies((holder) -> {
			assertThat(holder.owner()).isEqualTo(this.one.id() + ":" + Thread.currentThread().getId());
			assertThat(holder.kept()).isFalse();
			assertThat(holder.holdCount()).isEqualTo(2);
			assertThat(holder.token()).isEqualTo(lock.fencingToken());
			assertThat(holder.remaining()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(30));
		});
	}

	@Test
	void waitersAreSeenInOrder() {
		TestInstance patient = newPatientInstance();
		LockHandle lock = this.one.template().acquire(this.key);
		List<CompletableFuture<LockHandle>> waiters = new ArrayList<>();
		for (int i = 1; i <= 3; i++) {
			waiters.add(patient.template().acquireAsync(request().fair().waitForever()));
			int expected = i;
			await().until(() -> stores().isQueued(this.key, expected));
		}
		assertThat(look().waiters()).hasSize(3).allMatch((place) -> place.startsWith(patient.id() + ":handle-"));
		assertThat(
				look().waiters().stream().map((place) -> place.split("[-#]")).map((parts) -> parts[parts.length - 2]))
			.isSorted();
		lock.release();
		waiters.forEach((waiter) -> Threads.join(waiter).release());
		await().until(() -> this.view.look(List.of(this.key)).isEmpty());
	}

	@Test
	void onlyWhatIsThereIsSeen() {
		LockHandle lock = this.one.template().acquire(LockRequest.of(this.key + "-b", this.key + "-a"));
		assertThat(this.view.look(List.of(this.key, this.key + "-b", this.key + "-c", this.key + "-a")))
			.extracting(KeyState::key)
			.containsExactly(this.key + "-b", this.key + "-a");
		lock.release();
		assertThat(this.view.look(List.of(this.key + "-b"))).isEmpty();
		assertThat(this.view.look(List.of())).isEmpty();
	}

	@Test
	void heldKeysAreFound() {
		List<String> keys = IntStream.range(0, 120).mapToObj((i) -> this.key + "/ä b" + i).toList();
		LockHandle all = this.one.template().acquire(LockRequest.of(keys));
		HeldKeys found = this.view.heldKeys(1_000, AMPLE);
		assertThat(found.keys()).containsAll(keys);
		assertThat(found.complete()).isTrue();
		assertThat(this.view.look(keys)).hasSameSizeAs(keys);
		assertThat(this.view.heldKeys(1, AMPLE).keys()).isNotEmpty();
		all.release();
		await()
			.untilAsserted(() -> assertThat(this.view.heldKeys(1_000, AMPLE).keys()).doesNotContainAnyElementsOf(keys));
	}

	// Release by force

	/**
	 * Its holder does not find out by renewing it, in none of the tests.
	 */
	private LockRequest seldomRenewed() {
		return request().lease(Duration.ofMinutes(10));
	}

	@Test
	void holderThatListensIsToldAtOnce() {
		assumeThat(stores().sendMessages()).isTrue();
		this.one.listen();
		LockHandle lock = this.one.template().acquire(seldomRenewed());
		ForcedRelease release = this.two.registry().operations().forceRelease(this.key, null, Duration.ofSeconds(20));
		assertThat(release.released()).extracting(Holder::token).containsExactly(lock.fencingToken());
		await().until(() -> !lock.isHeld());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::ensureHeld)
			.havingCause()
			.withMessageContaining("an operator has released it");
		await().until(() -> !this.one.events().lost().isEmpty());
		assertThat(this.one.events().lost()).extracting(LockSnapshot::keys).containsExactly(List.of(this.key));
		this.two.template().acquire(oneTry()).release();
	}

	@Test
	void waiterGetsWhatIsReleasedByForce() {
		this.one.template().acquire(this.key);
		CompletableFuture<LockHandle> waiter = acquire(this.two, request().waitForever());
		await().until(() -> look().waiters().size() == 1);
		this.two.registry().operations().forceRelease(this.key, null, Duration.ofSeconds(20));
		assertThat(Threads.join(waiter).isHeld()).isTrue();
	}

	@Test
	void whatIsKeptCanBeReleasedByForce() {
		this.one.template().acquire(request().minHold(Duration.ofMinutes(1))).release();
		assertThat(isFree()).isFalse();
		assertThat(this.two.registry().operations().forceRelease(this.key, null, Duration.ofSeconds(20)).isReleased())
			.isTrue();
		assertThat(isFree()).isTrue();
	}

	@Test
	void falseMessageTakesNothingAway() {
		LockHandle lock = this.one.template().acquire(seldomRenewed());
		String owner = this.one.id() + ":" + Thread.currentThread().getId();
		LockStore.HoldId hold = new LockStore.HoldId(this.key, owner, lock.fencingToken());
		assertThat(this.one.registry().status().lastRenewal()).isNull();
		this.network.listener().forceReleased(hold);
		await().until(() -> this.one.registry().status().lastRenewal() != null);
		assertThat(lock.isHeld()).isTrue();
		lock.ensureHeld();
	}

	@Test
	void onlyTheHoldThatIsNamedIsReleasedByForce() {
		LockHandle first = this.one.template().acquire(this.key);
		LockOperations operator = this.two.registry().operations();
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> operator.forceRelease(this.key, null, Duration.ZERO));
		assertThat(operator.forceRelease(this.key, first.fencingToken(), AMPLE).released()).extracting(Holder::token)
			.containsExactly(first.fencingToken());
		LockHandle next = this.two.template().acquire(oneTry());
		assertThat(next.fencingToken()).isGreaterThan(first.fencingToken());
		assertThat(first.release()).isEqualTo(ReleaseResult.LOST);
		ForcedRelease repeated = operator.forceRelease(this.key, first.fencingToken(), AMPLE);
		assertThat(repeated.isReleased()).isFalse();
		assertThat(this.two.registry().forceRelease(this.key, first.fencingToken())).isFalse();
		assertThat(repeated.before().holders()).extracting(Holder::token).containsExactly(next.fencingToken());
		next.ensureHeld();
		assertThat(next.extend(Duration.ofSeconds(30))).isTrue();
	}

	// Views of the lock

	@Test
	void viewAnswersFromMemoryOnlyWhatItKnowsWhileTheStoreDoesNotAnswer() {
		LockView lock = this.one.registry().lock(this.key);
		lock.lock();
		this.network.loseRequests(Operation.VIEW, 3);
		for (ThrowingCallable question : List.<ThrowingCallable>of(lock::isLocked, lock::hasQueuedThreads,
				() -> this.one.registry().forceRelease(this.key))) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(question)
				.withMessageContaining(this.key)
				.withCauseInstanceOf(LockStoreException.class);
		}
		this.network.loseRequests(Operation.RENEW, 2);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> lock.extend(Duration.ofHours(1)))
			.withMessageContaining(this.key);
		assertThat(lock.isHeldByCurrentThread()).isTrue();
		assertThat(lock.remainingLease()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(30));
		assertThat(lock.fencingToken()).isPositive();
		assertThat(lock.isLocked()).isTrue();
		lock.unlock();
		assertThat(lock.isLocked()).isFalse();
	}

}
