package io.holdfast.engine;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.local.LocalLockStore;
import io.holdfast.local.LocalLocks;
import io.holdfast.test.Threads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How often waiters that are not woken ask again.
 */
@Tag("any-jdk")
class PollingTests {

	private static final int WAITERS = 12;

	private static final Duration POLL = Duration.ofMillis(100);

	private static final int MANY = 10;

	/**
	 * How often the store was asked, by place.
	 */
	private final Map<String, Integer> asked = new ConcurrentHashMap<>();

	/**
	 * For how long the store was told to keep a place, should its waiter die.
	 */
	private final Set<Duration> kept = ConcurrentHashMap.newKeySet();

	@ParameterizedTest
	@CsvSource({ "ACTIVE, , true", "BROKEN, , false", "ACTIVE, com.acme.RoutingFactory, false" })
	void thoseBehindAskMoreSeldomWhileMessagesArrive(Subscription subscription, @Nullable String chooser,
			boolean seldom) {
		LockRequest request = LockRequest.of(subscription + " " + chooser).fair().ownedByHandle().waitForever();
		LockStore store = recording(Map.of("subscription", () -> subscription, "chooser", () -> chooser));
		try (TestInstance instance = new TestInstance((id) -> store, POLL)) {
			LockHandle first = instance.template().acquire(request);
			this.asked.clear();
			List<CompletableFuture<Boolean>> waiters = IntStream.range(0, WAITERS)
				.mapToObj((i) -> instance.template()
					.executeAsync(request, (lock) -> CompletableFuture.completedFuture(lock.isHeld())))
				.toList();
			await().until(() -> this.asked.size() == WAITERS);
			this.asked.clear();
			if (seldom) {
				await().until(() -> this.asked.size() == WAITERS && fewest() < most() / 3);
			}
			else {
				await().until(() -> this.asked.size() == WAITERS && fewest() >= MANY);
				assertThat(most()).isLessThan(fewest() * 3);
			}
			first.release();
			assertThat(waiters).extracting(Threads::join).containsOnly(true);
			assertThat(this.kept).containsExactly(POLL.multipliedBy(2));
		}
	}

	private int fewest() {
		return Collections.min(this.asked.values());
	}

	private int most() {
		return Collections.max(this.asked.values());
	}

	private LockStore recording(Map<String, Supplier<@Nullable Object>> instead) {
		LockStore store = new LocalLockStore(LocalLocks.ofJvm("polling"));
		return (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(), new Class<?>[] { LockStore.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals("acquire")) {
						QueuePlace place = ((Claim) arguments[0]).place();
						this.kept.add(place.kept());
						this.asked.merge(place.id(), 1, Integer::sum);
					}
					Supplier<@Nullable Object> answer = instead.get(method.getName());
					return (answer != null) ? answer.get() : method.invoke(store, arguments);
				});
	}

}
