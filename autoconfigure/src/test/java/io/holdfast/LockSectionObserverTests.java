package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import io.holdfast.engine.TestInstance;
import io.holdfast.local.LocalStores;
import io.holdfast.test.RecordedLog;
import io.holdfast.test.Threads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Observers of what a template runs under locks.
 */
class LockSectionObserverTests {

	private final TestInstance instance = new TestInstance(new LocalStores()::open);

	private final List<String> seen = new CopyOnWriteArrayList<>();

	private String broken = "nothing";

	private final LockTemplate template = template(OnLost.THROW);

	private LockTemplate template(OnLost onLost) {
		return new LockTemplate(this.instance.registry(), onLost, true, this::expect);
	}

	@AfterEach
	void close() {
		this.instance.close();
	}

	@Test
	void seesASectionFromItsBeginToItsEnd() {
		String result = this.template.execute("key", (lock) -> {
			assertThat(lock.isHeld()).isTrue();
			this.seen.add("code");
			return "result";
		});
		assertThat(result).isEqualTo("result");
		assertThat(this.seen).containsExactly("expect", "begin", "open", "code", "close", "end RELEASED null");
	}

	@Test
	void seesEveryWayToRunCode() {
		this.template.executeWithoutResult("key", (lock) -> this.seen.add("one"));
		assertThat(this.template.tryExecute("key", (lock) -> this.seen.add("two"))).contains(true);
		Threads.join(this.template.executeAsync(LockRequest.of("key"),
				(lock) -> CompletableFuture.completedFuture(this.seen.add("three"))));
		assertThat(this.seen).containsExactly("expect", "begin", "open", "one", "close", "end RELEASED null", "expect",
				"begin", "open", "two", "close", "end RELEASED null", "expect", "begin", "open", "three", "close",
				"end RELEASED null");
	}

	@Test
	void seesNothingOfWhatIsAcquiredByItself() {
		this.template.acquire("key").close();
		assertThat(this.seen).isEmpty();
	}

	@Test
	void seesNoSectionWithoutItsLock() {
		try (LockHandle blocking = this.instance.template().acquire(LockRequest.of("key").ownedByHandle())) {
			assertThat(this.template.tryExecute("key", LockHandle::isHeld)).isEmpty();
			assertThat(blocking.isHeld()).isTrue();
		}
		assertThat(this.seen).isEmpty();
	}

	@Test
	void seesWhatTheCodeThrows() {
		assertThatIllegalStateException().isThrownBy(() -> this.template.execute("key", (lock) -> {
			throw new IllegalStateException("sync");
		}));
		assertThat(this.template.executeAsync(LockRequest.of("key"),
				(lock) -> CompletableFuture.failedFuture(new IllegalStateException("async"))))
			.failsWithin(Duration.ofSeconds(10));
		assertThat(this.seen).contains("end RELEASED java.lang.IllegalStateException: sync",
				"end RELEASED java.lang.IllegalStateException: async");
	}

	@Test
	void seesALossAlthoughTheCallerIsNotTold() {
		template(OnLost.LOG).executeWithoutResult("key",
				(lock) -> this.instance.registry().operations().forceRelease("key", null, Duration.ofSeconds(20)));
		assertThat(this.seen).last()
			.asString()
			.startsWith("end LOST io.holdfast.LockLostException: Lock 'key' was lost");
	}

	@Test
	void seesALossThatTheCallerIsTold() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.executeWithoutResult("key",
				(lock) -> this.instance.registry().operations().forceRelease("key", null, Duration.ofSeconds(20))));
		assertThat(this.seen).last()
			.asString()
			.startsWith("end LOST io.holdfast.LockLostException: Lock 'key' was lost");
	}

	@ParameterizedTest
	@ValueSource(strings = { "expect", "begin", "open", "close", "end" })
	void isInNobodysWayWhenItThrows(String step) {
		this.broken = step;
		String result = this.template.execute("key", (lock) -> "result");
		assertThat(result).isEqualTo("result");
		assertThat(this.template.executeAsync(LockRequest.of("key"),
				(lock) -> CompletableFuture.completedFuture("result")))
			.succeedsWithin(Duration.ofSeconds(10))
			.isEqualTo("result");
		assertThat(this.instance.registry().held()).isEmpty();
		assertThat(this.seen).noneMatch((done) -> done.startsWith(step));
	}

	/**
	 * As one that wants to see some sections only may be written.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "expectation", "section", "scope" })
	void isInNobodysWayWhenItReturnsNull(String what) {
		LockTemplate incomplete = new LockTemplate(this.instance.registry(), OnLost.THROW, true,
				(request) -> what.equals("expectation") ? nothing()
						: (lock) -> what.equals("section") ? nothing() : new SectionWithoutScope());
		assertThat(incomplete.<String, RuntimeException>execute("key", (lock) -> "result")).isEqualTo("result");
		assertThat(
				incomplete.executeAsync(LockRequest.of("key"), (lock) -> CompletableFuture.completedFuture("result")))
			.succeedsWithin(Duration.ofSeconds(10))
			.isEqualTo("result");
		assertThat(this.instance.registry().held()).isEmpty();
		if (what.equals("scope")) {
			assertThat(this.seen).containsExactly("end RELEASED", "end RELEASED");
		}
	}

	private final class SectionWithoutScope implements LockSection {

		@Override
		public Scope open() {
			return nothing();
		}

		@Override
		public void end(@Nullable ReleaseResult result, @Nullable Throwable failure) {
			LockSectionObserverTests.this.seen.add("end " + result);
		}

	}

	// Several of them

	private LockSectionObserver observer(String name, String broken) {
		return (request) -> (lock) -> new LockSection() {

			@Override
			public Scope open() {
				step(name + " open", broken);
				return () -> step(name + " close", broken);
			}

			@Override
			public void end(@Nullable ReleaseResult result, @Nullable Throwable failure) {
				step(name + " end " + result, broken);
			}

		};
	}

	private void step(String step, String broken) {
		if (broken.equals(step)) {
			throw new IllegalArgumentException("A broken observer");
		}
		this.seen.add(step);
	}

	private LockTemplate template(LockSectionObserver... observers) {
		return new LockTemplate(this.instance.registry(), OnLost.THROW, true,
				LockSectionObserver.allOf(List.of(observers)));
	}

	@Test
	void severalSeeASectionOneAroundTheOther() {
		template(observer("outer", ""), LockSectionObserver.NONE, observer("inner", "")).executeWithoutResult("key",
				(lock) -> this.seen.add("code"));
		assertThat(this.seen).containsExactly("outer open", "inner open", "code", "inner close", "outer close",
				"inner end RELEASED", "outer end RELEASED");
	}

	@ParameterizedTest
	@ValueSource(strings = { "inner open", "inner close", "inner end RELEASED" })
	void oneThatThrowsIsNotInTheWayOfTheOthers(String step) {
		template(observer("outer", ""), observer("inner", step), observer("innermost", "")).executeWithoutResult("key",
				(lock) -> this.seen.add("code"));
		assertThat(this.seen).containsSubsequence("outer open", "innermost open", "code", "innermost close",
				"outer close", "innermost end RELEASED", "outer end RELEASED");
		assertThat(this.seen).doesNotContain(step);
	}

	@Test
	void noneOfThemIsNone() {
		assertThat(LockSectionObserver.allOf(List.of())).isSameAs(LockSectionObserver.NONE);
		assertThat(LockSectionObserver.allOf(List.of(LockSectionObserver.NONE))).isSameAs(LockSectionObserver.NONE);
	}

	// What is logged

	@Test
	void whatIsThrownIsLoggedOnceAndThenCounted() {
		AtomicLong now = new AtomicLong();
		LockSectionObserver throwing = new FailSafeObserver((request) -> {
			throw new IllegalStateException("broken\n" + now);
		}, LockSectionObserver.NONE, now::get);
		LockTemplate broken = template(throwing);
		try (RecordedLog log = new RecordedLog()) {
			for (int i = 0; i < 100; i++) {
				broken.executeWithoutResult("key", LockHandle::ensureHeld);
			}
			assertThat(log.lines("observer")).singleElement().satisfies((line) -> assertThat(line.hasTrace()).isTrue());
			for (int minute = 1; minute <= 2; minute++) {
				now.addAndGet(Duration.ofMinutes(1).toNanos());
				broken.executeWithoutResult("key", LockHandle::ensureHeld);
				broken.executeWithoutResult("key", LockHandle::ensureHeld);
			}
			assertThat(log.lines("threw 100 more exceptions, the last: ", "broken\\n60000000000")).hasSize(1);
			assertThat(log.lines("threw 2 more exceptions, the last: ")).hasSize(1);
			assertThat(log.lines("observer")).hasSize(3).filteredOn(RecordedLog.Line::hasTrace).hasSize(1);
		}
	}

	@Test
	void mustNotBeNull() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new LockTemplate(this.instance.registry(), OnLost.THROW, true, nothing()))
			.withMessageContaining("observer");
	}

	@SuppressWarnings({ "NullAway", "TypeParameterUnusedInFormals" })
	private static <T> T nothing() {
		return null;
	}

	private Function<LockHandle, LockSection> expect(LockRequest request) {
		saw("expect");
		return (lock) -> {
			saw("begin");
			return new Section();
		};
	}

	private void saw(String step) {
		if (step.startsWith(this.broken)) {
			throw new IllegalArgumentException("A broken observer");
		}
		this.seen.add(step);
	}

	private final class Section implements LockSection {

		@Override
		public Scope open() {
			saw("open");
			return () -> saw("close");
		}

		@Override
		public void end(@Nullable ReleaseResult result, @Nullable Throwable failure) {
			saw("end " + result + " " + failure);
		}

	}

}
