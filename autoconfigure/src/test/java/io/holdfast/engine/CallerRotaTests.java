package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.engine.runtime.EngineRuntime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whose waits are looked at.
 */
class CallerRotaTests {

	private final AtomicLong now = new AtomicLong();

	private final Random random = new Random(1);

	private volatile boolean running;

	/**
	 * Goes on while it is looked at, like any clock, only faster.
	 */
	private final WaitingCallers callers = new WaitingCallers(
			EngineRuntime.of(() -> this.now.addAndGet(this.running ? this.random.nextInt(1_000_000_000) : 0)));

	private final Waits waits = new Waits();

	private final CallerRota rota = new CallerRota(this.waits, Duration.ofSeconds(1));

	private List<Acquisition> callersAtIntervals(int count) {
		List<Acquisition> added = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			Acquisition caller = this.callers.nested("key-" + i);
			this.waits.add(caller);
			added.add(caller);
			this.now.addAndGet(Duration.ofMinutes(10).toNanos());
		}
		return added;
	}

	@Test
	void longestWaitsComeFirstAlthoughAllGoOn() {
		List<Acquisition> added = callersAtIntervals(18);
		this.running = true;
		assertThat(this.rota.next()).containsExactlyElementsOf(added);
	}

	@Test
	void allAreLookedAtInTurnAlthoughTheirWaitsGoOn() {
		for (int i = 0; i < 500; i++) {
			this.waits.add(this.callers.nested("key-" + i));
			this.now.addAndGet(this.random.nextInt(20_000_000));
		}
		this.now.addAndGet(Duration.ofSeconds(2).toNanos());
		this.running = true;
		Set<Acquisition> seen = new HashSet<>();
		for (int round = 0; round < 200; round++) {
			seen.addAll(this.rota.next());
		}
		assertThat(seen).hasSizeGreaterThan(400);
	}

	@Test
	void whoHasWaitedForAMomentOnlyIsNotLookedAt() {
		List<Acquisition> added = callersAtIntervals(1);
		this.waits.add(this.callers.nested("later"));
		assertThat(this.rota.next()).containsExactlyElementsOf(added);
		assertThat(this.rota.isEmpty()).isFalse();
	}

}
