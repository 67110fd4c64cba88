package io.holdfast.diagnostics;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import io.holdfast.LockMode;
import io.holdfast.diagnostics.NestedWaiters.Wait;
import io.holdfast.engine.EngineListener.Waiter;
import io.holdfast.engine.EngineListener.LockWait;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whose waits are looked at.
 */
class NestedWaitersTests {

	private final Random random = new Random(1);

	private final NestedWaiters waiters = new NestedWaiters(Duration.ofSeconds(1));

	private Duration now = Duration.ZERO;

	private boolean running;

	/**
	 * Time goes on while it is looked at, like any clock, only faster.
	 */
	private Duration now() {
		return this.running ? this.now.plusNanos(this.random.nextInt(1_000_000_000)) : this.now;
	}

	private String add(int number) {
		String key = "key-" + number;
		Duration start = this.now;
		this.waiters.add(new Waiter() {

			@Override
			public LockWait snapshot() {
				return new LockWait(List.of(key), null, LockMode.EXCLUSIVE, "i:" + number, "thread", Instant.EPOCH,
						now().minus(start), null, null);
			}

			@Override
			public boolean nested() {
				return true;
			}

		});
		return key;
	}

	private List<String> addAtIntervals(int count) {
		List<String> added = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			added.add(add(i));
			this.now = this.now.plusMinutes(10);
		}
		return added;
	}

	private List<String> next() {
		return this.waiters.next().stream().map((wait) -> wait.keys().get(0)).toList();
	}

	@Test
	void longestWaitsComeFirstAlthoughAllGoOn() {
		List<String> added = addAtIntervals(18);
		this.running = true;
		assertThat(next()).containsExactlyElementsOf(added);
	}

	@Test
	void allAreLookedAtInTurnAlthoughTheirWaitsGoOn() {
		for (int i = 0; i < 500; i++) {
			add(i);
			this.now = this.now.plusNanos(this.random.nextInt(20_000_000));
		}
		this.now = this.now.plusSeconds(2);
		this.running = true;
		Set<String> seen = new HashSet<>();
		for (int check = 0; check < 200; check++) {
			seen.addAll(next());
		}
		assertThat(seen).hasSizeGreaterThan(400);
	}

	@Test
	void waiterThatHasWaitedForAMomentOnlyIsNotLookedAt() {
		List<String> added = addAtIntervals(1);
		add(1);
		assertThat(next()).containsExactlyElementsOf(added);
		assertThat(this.waiters.all()).extracting(Wait::owner).containsExactlyInAnyOrder("i:0", "i:1");
	}

}
