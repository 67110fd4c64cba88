package io.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.holdfast.LockRequest;
import io.holdfast.local.LocalLockStore;
import io.holdfast.local.LocalLocks;
import io.holdfast.test.StackEnd;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Callers whose stack ends. Once code is compiled, its frames are small, and those of
 * what it calls may not be.
 */
class EndOfStackTests {

	private static final int DEEPEST = 700;

	private final LockRequest request = LockRequest.of("key").waitFor(Duration.ZERO);

	@Test
	void locksAreToBeHadByOthers() {
		LocalLocks locks = new LocalLocks();
		try (TestInstance instance = new TestInstance((id) -> new LocalLockStore(locks))) {
			Runnable section = () -> instance.template().execute(this.request, (lock) -> true);
			IntStream.range(0, 3_000).forEach((i) -> section.run());
			IntStream.range(0, DEEPEST).forEach((depth) -> StackEnd.run(depth, section));
			assertThat(instance.registry().held()).isEmpty();
			section.run();
		}
	}

	/**
	 * A release that lets another caller in.
	 */
	@Test
	void waitersGetIn() {
		LocalLocks locks = new LocalLocks();
		try (TestInstance instance = new TestInstance((id) -> new LocalLockStore(locks))) {
			AtomicBoolean over = new AtomicBoolean();
			Runnable section = () -> instance.template()
				.execute(this.request.waitFor(Duration.ofSeconds(20)), (lock) -> true);
			CompletableFuture<Integer> others = Threads.start(() -> {
				int sections = 0;
				for (; !over.get(); sections++) {
					section.run();
				}
				return sections;
			});
			IntStream.range(0, 3_000).forEach((i) -> section.run());
			IntStream.range(0, DEEPEST).forEach((depth) -> StackEnd.run(depth, section));
			over.set(true);
			assertThat(Threads.join(others)).isPositive();
			section.run();
		}
	}

}
