package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.holdfast.engine.runtime.EngineRuntime;
import io.holdfast.engine.runtime.MonotonicClock;
import io.holdfast.test.StallProneTest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who waits for what.
 */
class WaitsTests {

	private final WaitingCallers callers = new WaitingCallers(EngineRuntime.of(MonotonicClock.SYSTEM));

	private final Waits waits = new Waits();

	private Acquisition add(String... keys) {
		Acquisition caller = this.callers.waiting(keys);
		this.waits.add(caller);
		return caller;
	}

	@Test
	void callersAreCountedOnceHoweverManyOfTheKeysTheyWantThereAre() {
		Acquisition several = add("a", "b");
		Acquisition one = add("a");
		assertThat(this.waits.count(List.of("a"))).isEqualTo(2);
		assertThat(this.waits.count(List.of("b"))).isEqualTo(1);
		assertThat(this.waits.count(List.of("c", "b", "a"))).isEqualTo(2);
		assertThat(this.waits.count(List.of("c"))).isZero();
		this.waits.remove(several);
		this.waits.remove(several);
		assertThat(this.waits.count(List.of("a", "b"))).isEqualTo(1);
		this.waits.remove(one);
		assertThat(this.waits.count(List.of("a"))).isZero();
		assertThat(this.waits.all()).isEmpty();
	}

	/**
	 * As when very many locks are held for too long, and somebody waits for each.
	 */
	@StallProneTest
	void countingCostsLittleHoweverManyWait() {
		IntStream.range(0, 5_000).forEach((i) -> add("key-" + i));
		long begin = System.nanoTime();
		long counted = IntStream.range(0, 5_000).mapToLong((i) -> this.waits.count(List.of("key-" + i))).sum();
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(2));
		assertThat(counted).isEqualTo(5_000);
	}

}
