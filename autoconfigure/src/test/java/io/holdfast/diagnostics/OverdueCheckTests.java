package io.holdfast.diagnostics;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import io.holdfast.engine.Background;
import io.holdfast.engine.EngineRuntime;
import io.holdfast.engine.MonotonicClock;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Warnings of what takes too long.
 */
@Tag("slow")
class OverdueCheckTests {

	private static final Duration LIMIT = Duration.ofHours(1);

	private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1);

	private final Queue<String> warnings = new ConcurrentLinkedQueue<>();

	private final OverdueCheck<Object> slow = check("test-check-slow", LIMIT, EngineRuntime.of(this.now::get));

	private final OverdueCheck<Object> quick = check("test-check-quick", Duration.ofMillis(150),
			EngineRuntime.of(MonotonicClock.SYSTEM));

	private OverdueCheck<Object> check(String name, Duration limit, EngineRuntime clock) {
		return new OverdueCheck<>(limit, new Background(clock, name), (thing, elapsed, ended) -> this.warnings
			.add(thing + (ended ? " ended after " : " at ") + elapsed.toMinutes()));
	}

	@AfterEach
	void stop() {
		this.slow.stop();
		this.quick.stop();
	}

	private void pass(Duration time) {
		this.now.addAndGet(time.toNanos());
	}

	@Test
	void whatEndsLateBeforeAnybodyHasLookedIsToldAtItsEnd() {
		this.slow.began("a");
		Threads.awaitIdle("test-check-slow");
		pass(LIMIT);
		this.slow.ended("a");
		this.slow.ended("a");
		assertThat(this.warnings).containsExactly("a ended after 60");
	}

	@Test
	void whatEndsInTimeIsNotTold() {
		this.slow.began("a");
		pass(LIMIT.minusNanos(1));
		this.slow.ended("a");
		this.slow.ended("b");
		assertThat(this.warnings).isEmpty();
	}

	@Test
	void whatGoesOnIsToldOnceAndNotAtItsEnd() {
		this.quick.began("a");
		await().pollDelay(Duration.ofMillis(100)).until(() -> !this.warnings.isEmpty());
		await().during(Duration.ofMillis(500)).until(() -> this.warnings.size() == 1);
		this.quick.ended("a");
		assertThat(this.warnings).containsExactly("a at 0");
	}

	@Test
	void whatBeginsLaterIsToldInTime() {
		this.quick.began("a");
		await().until(() -> this.warnings.size() == 1);
		this.quick.began("b");
		await().atMost(Duration.ofSeconds(5)).until(() -> this.warnings.size() == 2);
		assertThat(this.warnings).containsExactly("a at 0", "b at 0");
	}

	@Test
	void threadEndsWhenThereIsNothingToLookAt() {
		OverdueCheck<Object> check = check("test-check-thread", Duration.ofMillis(150),
				EngineRuntime.of(MonotonicClock.SYSTEM));
		check.began("a");
		await().until(() -> Threads.named("test-check-thread").size() == 1);
		await().until(() -> Threads.named("test-check-thread").isEmpty());
		check.began("b");
		await().until(() -> this.warnings.size() == 2);
	}

	/**
	 * About as long as the limit, so that rounds and ends cross, and the thread comes and
	 * goes.
	 */
	@RepeatedTest(3)
	void everythingLateIsToldOnceHoweverItCrossesTheRounds() {
		List<CompletableFuture<Long>> threads = IntStream.range(0, 4)
			.mapToObj((thread) -> Threads.start(() -> busy(thread)))
			.toList();
		long late = threads.stream().mapToLong(Threads::join).sum();
		assertThat(late).isPositive();
		assertThat(this.warnings).hasSizeGreaterThanOrEqualTo((int) late);
		assertThat(this.warnings.stream().map((warning) -> warning.split(" ")[0])).doesNotHaveDuplicates();
	}

	private long busy(int thread) {
		long late = 0;
		for (int i = 0; i < 10; i++) {
			String thing = thread + "-" + i;
			long begin = System.nanoTime();
			this.quick.began(thing);
			LockSupport.parkNanos(Duration.ofMillis(130 + (i * 7 + thread * 3) % 50).toNanos());
			boolean isLate = System.nanoTime() - begin > Duration.ofMillis(152).toNanos();
			this.quick.ended(thing);
			late += isLate ? 1 : 0;
		}
		return late;
	}

	/**
	 * With a hundred thousand things that go on, one that comes and goes costs little.
	 */
	@Test
	void manyThingsCostLittle() {
		List<Integer> things = IntStream.range(0, 100_000).boxed().toList();
		things.forEach(this.slow::began);
		long begin = System.nanoTime();
		things.forEach((thing) -> {
			this.slow.ended(thing);
			this.slow.began(thing);
		});
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(20));
		pass(LIMIT);
		things.forEach(this.slow::ended);
		assertThat(this.warnings).hasSize(100_000);
	}

	@Test
	void goesOnAfterAnError() {
		AtomicInteger failures = new AtomicInteger();
		OverdueCheck<String> check = new OverdueCheck<>(Duration.ofMillis(100),
				new Background(EngineRuntime.of(System::nanoTime), "test-check-failing"), (thing, elapsed, ended) -> {
					if (failures.incrementAndGet() == 1) {
						throw new OutOfMemoryError("for a test");
					}
					this.warnings.add(thing);
				});
		check.began("first");
		await().until(() -> failures.get() > 0);
		check.began("second");
		await().until(() -> this.warnings.contains("second"));
		check.stop();
	}

}
