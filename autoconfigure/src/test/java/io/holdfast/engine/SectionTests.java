package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.redis.RedisStores;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How callers of one instance pass a lock on without asking the store, and when they ask
 * all the same. Here they need not ask for ten minutes.
 */
@Tag("slow")
class SectionTests extends AbstractNetworkTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

	private static final Duration LEASE = Duration.ofHours(1);

	@Override
	Duration handoverCheck() {
		return Duration.ofMinutes(10);
	}

	@Override
	protected LockRequest request() {
		return super.request().lease(LEASE).ownedByHandle();
	}

	private List<CompletableFuture<LockHandle>> waiters(int count) {
		List<CompletableFuture<LockHandle>> waiters = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			waiters.add(waiter(request()));
		}
		return waiters;
	}

	private static LockHandle enter(LockHandle before, List<CompletableFuture<LockHandle>> waiters) {
		assertThat(before.release()).isEqualTo(ReleaseResult.RELEASED);
		LockHandle next = Threads
			.join(CompletableFuture.anyOf(waiters.toArray(CompletableFuture[]::new)).thenApply(LockHandle.class::cast));
		waiters.removeIf((waiter) -> waiter.isDone());
		return next;
	}

	@Test
	void storeIsNotAskedBetweenSections() {
		LockHandle first = this.one.template().acquire(request());
		List<CompletableFuture<LockHandle>> waiters = waiters(5);
		LockHandle inside = enter(first, waiters);
		while (!waiters.isEmpty()) {
			LockHandle next = enter(inside, waiters);
			assertThat(next.fencingToken()).isGreaterThan(inside.fencingToken());
			assertThat(next.isHeld()).isTrue();
			assertThat(inside.isHeld()).isFalse();
			assertThat(isFree()).isFalse();
			inside = next;
		}
		assertThat(inside.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(this.network.calls(Operation.TRANSFER)).isOne();
		assertThat(isFree()).isTrue();
	}

	@Test
	void storeIsAskedAgainWhenItsAnswerIsTooOld() {
		Duration check = Duration.ofMillis(1);
		AtomicReference<FaultyStore> store = new AtomicReference<>();
		TestInstance instance = closing(TestInstance.passing((id) -> {
			store.set(new FaultyStore(stores().open(id)));
			return store.get();
		}, check));
		LockHandle inside = instance.template().acquire(request());
		for (int i = 1; i <= 3; i++) {
			CompletableFuture<LockHandle> next = acquire(instance, request());
			awaitParked(1);
			pass(check);
			assertThat(inside.release()).isEqualTo(ReleaseResult.RELEASED);
			inside = Threads.join(next);
			assertThat(store.get().calls(Operation.TRANSFER)).isEqualTo(i);
		}
		inside.release();
	}

	/**
	 * Who lets another one in does not ask; who extends does.
	 */
	@Test
	void lockThatWasDeletedIsNoticedWhenTheStoreIsAsked() {
		LockHandle first = this.one.template().acquire(request());
		List<CompletableFuture<LockHandle>> waiters = waiters(3);
		LockHandle second = enter(first, waiters);
		delete();
		LockHandle third = enter(second, waiters);
		assertThat(third.isHeld()).isTrue();
		assertThat(third.extend(LEASE)).isFalse();
		assertThat(third.release()).isEqualTo(ReleaseResult.LOST);
		LockHandle fourth = Threads.join(waiters.get(0));
		assertThat(fourth.fencingToken()).isGreaterThan(third.fencingToken());
		assertThat(fourth.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void lastOneToLeaveAsks() {
		LockHandle first = this.one.template().acquire(request());
		LockHandle second = enter(first, waiters(1));
		delete();
		assertThat(second.release()).isEqualTo(ReleaseResult.LOST);
	}

	private void delete() {
		Holder holder = this.two.store().view().look(List.of(this.key)).get(0).holders().get(0);
		HoldId hold = new HoldId(this.key, holder.owner(), holder.token());
		assertThat(this.two.store().keep(hold, Duration.ofMillis(1))).isTrue();
		await().until(() -> this.two.store()
			.view()
			.look(List.of(this.key))
			.stream()
			.allMatch((lock) -> lock.holders().isEmpty()));
	}

	@Test
	void releaseByForceOfAPassedOnLockTakesTheTokenOfTheSection() {
		LockHandle first = this.one.template().acquire(request());
		List<CompletableFuture<LockHandle>> waiters = waiters(2);
		LockHandle third = enter(enter(first, waiters), waiters);
		assertThat(this.one.registry()
			.operations()
			.forceRelease(this.key, third.fencingToken(), Duration.ofSeconds(20))
			.isReleased()).isTrue();
		await().until(() -> !third.isHeld());
	}

	@Test
	void storeLearnsWhoHoldsALockForLonger() {
		LockHandle first = this.one.template().acquire(request());
		List<CompletableFuture<LockHandle>> waiters = waiters(2);
		LockHandle third = enter(enter(first, waiters), waiters);
		String owner = this.one.registry().held().iterator().next().owner();
		await().untilAsserted(() -> assertThat(this.two.store().view().look(List.of(this.key))).singleElement()
			.satisfies((state) -> assertThat(state.holders()).extracting(Holder::owner).containsExactly(owner)));
		assertThat(third.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFree()).isTrue();
	}

	@Test
	void anotherLeaseIsAskedFor() {
		LockHandle first = this.one.template().acquire(request());
		List<CompletableFuture<LockHandle>> waiters = waiters(1);
		waiters.add(waiter(request().lease(LEASE.dividedBy(2))));
		waiters.add(waiter(request().lease(LEASE.dividedBy(2)).autoRenew(false)));
		LockHandle third = enter(enter(first, waiters), waiters);
		assertThat(this.network.calls(Operation.TRANSFER)).isEqualTo(2);
		assertThat(third.remainingLease()).isLessThan(LEASE.dividedBy(2));
		LockHandle fourth = enter(third, waiters);
		assertThat(this.network.calls(Operation.TRANSFER)).isEqualTo(3);
		fourth.release();
	}

	/**
	 * A lock is kept under the name and token that the store granted it with.
	 */
	@Test
	void whoKeepsTheLockAsksForAGrantOfItsOwn() {
		LockHandle first = this.one.template().acquire(request());
		List<CompletableFuture<LockHandle>> waiters = waiters(1);
		waiters.add(waiter(request().minHold(Duration.ofMinutes(1))));
		LockHandle third = enter(enter(first, waiters), waiters);
		String owner = this.one.registry().held().iterator().next().owner();
		assertThat(third.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(this.two.store().view().look(List.of(this.key)).get(0).holders()).singleElement()
			.satisfies((kept) -> assertThat(kept.kept()).isTrue())
			.extracting(Holder::owner, Holder::token)
			.containsExactly(owner, third.fencingToken());
	}

	@Test
	void timeThatWasGrantedToOneIsNotLeftToTheNext() {
		LockHandle first = this.one.template().acquire(request());
		List<CompletableFuture<LockHandle>> waiters = waiters(2);
		LockHandle second = enter(first, waiters);
		assertThat(second.extend(LEASE.multipliedBy(2))).isTrue();
		LockHandle third = enter(second, waiters);
		assertThat(third.remainingLease()).isLessThanOrEqualTo(LEASE);
		third.release();
	}

	@Test
	void anotherInstanceGoesNextAfterSoManySections() {
		this.one.listen();
		LockHandle inside = this.one.template().acquire(request());
		List<CompletableFuture<LockHandle>> waiters = waiters(TestInstance.LOCAL_HANDOFFS + 2);
		inside = enter(inside, waiters);
		CompletableFuture<LockHandle> other = acquire(newPatientInstance(), request());
		await().until(() -> this.network.wanted() > 0);
		assertThat(sectionsBefore(other, inside, waiters)).isEqualTo(TestInstance.LOCAL_HANDOFFS);
	}

	/**
	 * Let one waiter in after the other until another instance has the lock.
	 * @return how many
	 */
	private static int sectionsBefore(CompletableFuture<LockHandle> other, LockHandle first,
			List<CompletableFuture<LockHandle>> waiters) {
		LockHandle inside = first;
		int sections = 0;
		while (!other.isDone()) {
			assertThat(inside.release()).isEqualTo(ReleaseResult.RELEASED);
			CompletableFuture.anyOf(other, waiters.get(0)).join();
			if (!other.isDone()) {
				inside = Threads.join(waiters.remove(0));
				sections++;
			}
		}
		assertThat(Threads.join(other).release()).isEqualTo(ReleaseResult.RELEASED);
		waiters.forEach((waiter) -> Threads.join(waiter).release());
		return sections;
	}

	@Test
	void fairWaiterOfAnotherInstanceGoesNext() {
		this.one.listen();
		LockHandle first = this.one.template().acquire(request());
		List<CompletableFuture<LockHandle>> waiters = waiters(3);
		LockHandle second = enter(first, waiters);
		CompletableFuture<LockHandle> fair = acquire(this.two, request().fair());
		await().until(() -> this.network.wanted() > 0);
		assertThat(second.release()).isEqualTo(ReleaseResult.RELEASED);
		LockHandle next = Threads.join(fair);
		assertThat(waiters).noneMatch(CompletableFuture::isDone);
		next.release();
		waiters.forEach((waiter) -> Threads.join(waiter).release());
	}

}
