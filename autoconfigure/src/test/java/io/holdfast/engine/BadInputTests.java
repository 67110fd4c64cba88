package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.LockAssert;
import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.local.LocalStores;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Times and keys that cannot be, and those that are only just possible.
 */
class BadInputTests extends AbstractStoreTests {

	@RegisterExtension
	static final LockStores stores = new LocalStores();

	private static final Duration LONGEST = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

	private static final Duration LIMIT = Duration.ofSeconds(30);

	private static final Duration MOST_NEGATIVE = Duration.ofSeconds(Long.MIN_VALUE);

	private final LockRequest request = LockRequest.of(this.key);

	@AfterEach
	void nothingIsLeft() {
		assertThat(this.one.registry().held()).isEmpty();
		assertThat(this.one.registry().status().acquiring()).isZero();
		await().atMost(LIMIT)
			.pollDelay(Duration.ZERO)
			.until(() -> this.one.registry().operations().view().look(List.of(this.key)).isEmpty());
	}

	static Stream<Duration> leasesThatCannotBe() {
		return Stream.of(Duration.ZERO, Duration.ofMillis(-1), Duration.ofMillis(9), Duration.ofNanos(9_999_999),
				LockRequest.LONGEST_LEASE.plusNanos(1), Duration.ofMillis(Long.MAX_VALUE), LONGEST,
				Duration.ofMillis(Long.MIN_VALUE), MOST_NEGATIVE);
	}

	@ParameterizedTest
	@MethodSource("leasesThatCannotBe")
	void leaseThatCannotBe(Duration lease) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.request.lease(lease)).withMessageContaining("lease");
		try (LockHandle held = this.one.template().acquire(this.request)) {
			Duration before = held.remainingLease();
			assertThatIllegalArgumentException().isThrownBy(() -> held.extend(lease)).withMessageContaining("lease");
			assertThat(held.remainingLease()).isPositive().isLessThanOrEqualTo(before);
		}
	}

	@Test
	void longestLease() {
		LockHandle held = this.one.template().acquire(this.request.lease(LockRequest.LONGEST_LEASE));
		assertThat(held.extend(LockRequest.LONGEST_LEASE)).isTrue();
		assertThat(held.remainingLease()).isGreaterThan(Duration.ofDays(360));
		assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	static Stream<Consumer<LockRequest>> timesThatCannotBe() {
		List<Consumer<LockRequest>> requests = new ArrayList<>();
		for (Duration time : List.of(Duration.ofNanos(-1), Duration.ofMillis(-2), Duration.ofMillis(Long.MIN_VALUE),
				MOST_NEGATIVE)) {
			requests.add((request) -> request.waitFor(time));
			requests.add((request) -> request.minHold(time));
			requests.add((request) -> request.maxHold(time));
		}
		requests.add((request) -> request.maxHold(Duration.ZERO));
		requests.add((request) -> request.minHold(LockRequest.LONGEST_LEASE.plusNanos(1)));
		requests.add((request) -> request.minHold(LONGEST));
		return requests.stream();
	}

	@ParameterizedTest
	@MethodSource("timesThatCannotBe")
	void timeThatCannotBe(Consumer<LockRequest> change) {
		assertThatIllegalArgumentException().isThrownBy(() -> change.accept(this.request))
			.withMessageMatching(".*(wait for|minHold|maxHold).*(negative|positive|between).*");
	}

	@Test
	void longestMinHoldAndMaxHold() {
		LockHandle held = this.one.template().acquire(this.request.minHold(LockRequest.LONGEST_LEASE).maxHold(LONGEST));
		assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(this.one.registry().lock(this.key).tryLock()).isFalse();
		stores().takeAway(this.key);
	}

	static Stream<Function<Lock, Boolean>> waitsForEver() {
		return Stream.concat(Arrays.stream(TimeUnit.values())
			.flatMap((unit) -> Stream.of(Long.MAX_VALUE, Long.MAX_VALUE - 1, Long.MAX_VALUE / 2 + 1)
				.map((time) -> (lock) -> tryLock(lock, time, unit))), Stream.of((lock) -> {
					lock.lock();
					return true;
				}));
	}

	private static boolean tryLock(Lock lock, long time, TimeUnit unit) {
		try {
			return lock.tryLock(time, unit);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * All at once: each gets the lock, whatever the unit.
	 */
	@Test
	void longestWaitIsForEver() {
		LockHandle held = this.one.template().acquire(this.request);
		List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
		waitsForEver().forEach((wait) -> waiting.add(Threads.start(() -> {
			Lock lock = this.one.registry().lock(this.key);
			boolean locked = wait.apply(lock);
			lock.unlock();
			return locked;
		})));
		for (Duration time : List.of(LONGEST, Duration.ofMillis(Long.MAX_VALUE), LockRequest.NO_LIMIT)) {
			waiting.add(this.one.template()
				.acquireAsync(this.request.waitFor(time))
				.thenApply((lock) -> lock.release() == ReleaseResult.RELEASED));
		}
		await().atMost(LIMIT).until(() -> this.one.registry().status().waiting() == waiting.size());
		assertThat(waiting).noneMatch(CompletableFuture::isDone);
		held.release();
		assertThat(waiting).allMatch(Threads::join);
	}

	@ParameterizedTest
	@EnumSource
	void negativeWaitIsOneTry(TimeUnit unit) throws Exception {
		Lock lock = this.one.registry().lock(this.key);
		for (long time : new long[] { 0, -1, Long.MIN_VALUE }) {
			assertThat(lock.tryLock(time, unit)).isTrue();
			assertThat(Threads.call(() -> lock.tryLock(time, unit))).isFalse();
			lock.unlock();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "\t\r\n", "\u2003" })
	void blankKey(String blank) {
		usesOfKeys().forEach((use) -> assertThatIllegalArgumentException().isThrownBy(() -> use.accept(blank))
			.withMessageContaining("key")
			.withMessageContaining("blank"));
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of(this.key, blank));
		assertThatIllegalArgumentException().isThrownBy(() -> this.request.name(blank)).withMessageContaining("name");
	}

	private Stream<Consumer<String>> usesOfKeys() {
		HoldfastLockRegistry registry = this.one.registry();
		return Stream.of(LockRequest::of, registry::lock, registry::fairLock, registry::readWriteLock,
				registry::multiLock, registry::isHeldByCurrentThread, this.one.template()::acquire,
				LockAssert::assertHeld, this.one.template()::forceRelease,
				(key) -> registry.operations().forceRelease(key, null, LONGEST));
	}

	@Test
	void noKey() {
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of()).withMessageContaining("keys");
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of(List.of())).withMessageContaining("keys");
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of(this.key, null))
			.withMessageContaining("key");
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of(Collections.singletonList(null)))
			.withMessageContaining("key");
		assertThatIllegalArgumentException().isThrownBy(() -> this.one.registry().multiLock())
			.withMessageContaining("keys");
	}

	@ParameterizedTest
	@ValueSource(ints = { LockRequest.MOST_KEYS + 1, 100_000 })
	void moreKeysThanThereCanBe(int number) {
		List<String> keys = IntStream.range(0, number).mapToObj(Integer::toString).toList();
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of(keys)).withMessageContaining("1000 keys");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.one.registry().multiLock(keys.toArray(String[]::new)));
	}

}
