package io.holdfast.engine;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.local.LocalLockStore;
import io.holdfast.local.LocalLocks;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How often waiters that are not woken ask again.
 */
@Tag("any-jdk")
class PollingTests {

	private final Queue<Duration> kept = new ConcurrentLinkedQueue<>();

	@Test
	void manyAskMoreSeldomAndKeepTheirPlacesForLonger() {
		LockRequest request = LockRequest.of("many").fair().ownedByHandle().waitFor(Duration.ofMinutes(1));
		try (TestInstance instance = new TestInstance((id) -> recording())) {
			LockHandle first = instance.template().acquire(request);
			List<CompletableFuture<Boolean>> waiters = IntStream.range(0, 250)
				.mapToObj((i) -> instance.template()
					.executeAsync(request, (lock) -> CompletableFuture.completedFuture(lock.isHeld())))
				.toList();
			Duration few = HoldfastLockRegistry.POLL.multipliedBy(2);
			await().until(() -> this.kept.contains(few.multipliedBy(3)));
			first.release();
			assertThat(waiters).extracting(Threads::join).containsOnly(true);
			this.kept.clear();
			instance.template().acquire(request).release();
			assertThat(this.kept).containsExactly(few);
		}
	}

	private LockStore recording() {
		LockStore store = new LocalLockStore(LocalLocks.ofJvm("polling"));
		return (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(), new Class<?>[] { LockStore.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals("acquire")) {
						this.kept.add(((Claim) arguments[0]).place().kept());
					}
					return method.invoke(store, arguments);
				});
	}

}
