package io.holdfast.aop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.holdfast.DistributedLock;
import io.holdfast.LockHandle;
import io.holdfast.LockListener;
import io.holdfast.LockLostException;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.LockTemplate;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Methods with several annotations.
 */
@Tag("slow")
class SeveralLocksTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private static ConfigurableApplicationContext context;

	private static Shelf shelf;

	private static Events events;

	private static HoldfastLockRegistry registry;

	private static LockTemplate template;

	@BeforeAll
	static void startApplication() {
		context = start("holdfast.wait-for=30s");
		shelf = context.getBean(Shelf.class);
		events = context.getBean(Events.class);
		registry = context.getBean(HoldfastLockRegistry.class);
		template = context.getBean(LockTemplate.class);
	}

	private static ConfigurableApplicationContext start(String property) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.data.redis.port=" + redis.port(), "spring.main.banner-mode=off",
					"spring.datasource.generate-unique-name=true", property)
			.run();
	}

	@AfterAll
	static void stopApplication() {
		context.close();
	}

	@BeforeEach
	void forgetWhatWas() {
		shelf.calls();
		events.told.clear();
		events.denied.clear();
	}

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(registry.held()).isEmpty();
		assertThat(isFree("a") && isFree("b") && isFree("c")).isTrue();
	}

	private static boolean isFree(String key) {
		return isFree(LockRequest.of(key));
	}

	private static boolean isFree(LockRequest request) {
		return Threads.call(() -> template.tryExecute(request, (lock) -> true).isPresent());
	}

	@Test
	void alikeAnnotationsAreOneHoldOfAllTheirKeys() {
		assertThat(shelf.alike(true)).singleElement()
			.satisfies((keys) -> assertThat(keys).containsExactlyInAnyOrder("a", "b"));
		assertThat(shelf.alike(false)).isEmpty();
		LocalApplication.whileHeldElsewhere(context, "b", () -> {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> shelf.alike(true));
			assertThat(isFree("a")).isTrue();
		});
	}

	@Test
	void differentAnnotationsAreNestedAndReleasedInReverse() {
		assertThat(shelf.different("b", "a")).containsExactlyInAnyOrder(List.of("a"), List.of("b"));
		assertThat(events.told).containsExactly("+a", "+b", "-b", "-a");
	}

	@Test
	void earlierOnesAreReleasedWhenALaterOneIsNotAcquired() {
		LocalApplication.whileHeldElsewhere(context, "b", () -> {
			events.told.clear();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> shelf.different("b", "a"))
				.satisfies((ex) -> {
					assertThat(ex).hasMessageContaining("'b'").hasNoSuppressedExceptions();
					assertThat(ex.getWaited()).isBetween(Duration.ofMillis(300), Duration.ofSeconds(20));
				});
			assertThat(events.told).containsExactly("+a", "-a");
			assertThat(isFree("a")).isTrue();
		});
	}

	@Test
	void laterOnesAreNotAskedForWhenTheFirstIsNotAcquired() {
		LocalApplication.whileHeldElsewhere(context, "a", () -> {
			events.told.clear();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> shelf.different("b", "a"))
				.withMessageContaining("'a'");
			assertThat(events.denied).singleElement().satisfies((request) -> assertThat(request.waitFor()).isZero());
			assertThat(events.told).isEmpty();
		});
	}

	@Test
	void waitsForAllLocksBeginWithTheCall() {
		assertThatWaitsBeginWithTheCall(() -> shelf.interleaved(() -> {
		}), registry, events, Duration.ofSeconds(3));
	}

	@Test
	void configuredWaitBeginsWithTheCallAsWell() {
		try (ConfigurableApplicationContext impatient = start("holdfast.wait-for=3s")) {
			assertThatWaitsBeginWithTheCall(impatient.getBean(Shelf.class)::oneWay,
					impatient.getBean(HoldfastLockRegistry.class), impatient.getBean(Events.class),
					Duration.ofSeconds(3));
		}
	}

	private void assertThatWaitsBeginWithTheCall(Runnable call, HoldfastLockRegistry registry, Events events,
			Duration waitFor) {
		LockHandle a = template.acquire(LockRequest.of("a").ownedByHandle());
		LocalApplication.whileHeldElsewhere(context, "b", () -> {
			CompletableFuture<Throwable> caller = Threads.start(() -> catchThrowable(call::run));
			await().until(() -> registry.status().acquiring() == 1);
			releaseAfter(a, Duration.ofSeconds(1));
			assertThat(Threads.join(caller)).isInstanceOfSatisfying(LockNotAcquiredException.class, (ex) -> {
				assertThat(ex.getKey()).isEqualTo("b");
				assertThat(ex.getWaited()).isGreaterThanOrEqualTo(waitFor);
			});
			assertThat(events.denied).singleElement()
				.satisfies((request) -> assertThat(request.waitFor())
					.isLessThanOrEqualTo(waitFor.minus(Duration.ofSeconds(1))));
		});
	}

	private static void releaseAfter(LockHandle lock, Duration pause) {
		long start = System.nanoTime();
		await().until(() -> System.nanoTime() - start >= pause.toNanos());
		lock.release();
	}

	/**
	 * The hold of the one who hands the lock on may still be in the books.
	 */
	@Test
	void waitThatIsOverLeavesOneTry() {
		LockHandle a = template.acquire(LockRequest.of("a").ownedByHandle());
		CompletableFuture<List<List<String>>> caller = Threads.start(() -> shelf.impatient());
		await().pollInterval(Duration.ofMillis(10)).until(() -> registry.status().acquiring() == 1);
		releaseAfter(a, Duration.ofMillis(500));
		assertThat(Threads.join(caller)).containsOnly(List.of("a"), List.of("b"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "a", "b", "c" })
	void lossOfOneIsLossOfAll(String lost) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> shelf.interleaved(() -> {
			try (Jedis jedis = redis.connect()) {
				jedis.del("holdfast:{" + lost + "}");
			}
			findOut(lost);
			await().untilAsserted(() -> assertThat(registry.held()).isEmpty());
			await().until(() -> isFree("a") && isFree("b") && isFree("c"));
		})).withMessageContaining("'" + lost + "'").satisfies((ex) -> assertThat(ex).hasNoSuppressedExceptions());
	}

	/**
	 * Have the holder find out at once that a lock is gone.
	 */
	private static void findOut(String lost) {
		template.acquire(lost).release();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void lossesAreToldWhileRedisDoesNotAnswerReleases(boolean heldBefore) {
		CompletableFuture<LockHandle> told = new CompletableFuture<>();
		LockHandle outer = heldBefore ? template.acquire("b") : null;
		LockHandle unrelated = template.acquire(LockRequest.of("d").lease(Duration.ofSeconds(4)).autoRenew(false));
		unrelated.onLost(told::complete);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> shelf.someOfThemLimited(() -> {
			redis.freeze();
			try {
				await().atMost(Duration.ofSeconds(20)).until(told::isDone);
				await().atMost(Duration.ofSeconds(20)).until(() -> !isHeldHere("a") && !isHeldHere("c"));
			}
			finally {
				redis.unfreeze();
			}
		})).withMessageContaining("'a'");
		assertThat(unrelated.release()).isEqualTo(ReleaseResult.LOST);
		if (outer != null) {
			assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
		}
		await().untilAsserted(() -> assertThat(events.told).contains("!a", "!d"));
		assertThat(events.told).doesNotContain("!b", "!c");
		await().until(() -> isFree("a") && isFree("b") && isFree("c"));
	}

	private static boolean isHeldHere(String key) {
		return registry.held().stream().anyMatch((lock) -> lock.keys().contains(key));
	}

	@Test
	void methodIsNotRunWhenALockWasLostWhileOthersWereWaitedFor() {
		AtomicReference<CompletableFuture<Throwable>> caller = new AtomicReference<>();
		LocalApplication.whileHeldElsewhere(context, "b", () -> {
			caller.set(Threads.start(() -> catchThrowable(() -> shelf.hardLimit())));
			await().until(() -> events.told.contains("!a"));
		});
		assertThat(Threads.join(caller.get())).isInstanceOf(LockLostException.class).hasMessageContaining("'a'");
		assertThat(shelf.calls()).isZero();
	}

	@Test
	void exceptionOfTheMethodReleasesAllAndReachesTheCallerAsItIs() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> shelf.fails())
			.withMessage("on purpose")
			.satisfies((ex) -> assertThat(ex).hasNoSuppressedExceptions());
		assertThat(events.told).containsExactly("+a", "+b", "-b", "-a");
	}

	static class Shelf {

		private final AtomicInteger calls = new AtomicInteger();

		private final LockRegistry registry;

		Shelf(LockRegistry registry) {
			this.registry = registry;
		}

		int calls() {
			return this.calls.getAndSet(0);
		}

		private List<List<String>> held() {
			return this.registry.held().stream().map(LockSnapshot::keys).toList();
		}

		@DistributedLock(key = "'b'", condition = "#locked", waitFor = "0")
		@DistributedLock(key = "'a'", condition = "#locked", waitFor = "0")
		List<List<String>> alike(boolean locked) {
			return held();
		}

		@DistributedLock(key = "#second", waitFor = "300ms")
		@DistributedLock(key = "#first", waitFor = "0")
		List<List<String>> different(String second, String first) {
			return held();
		}

		@DistributedLock(key = "{'a', 'c'}", waitFor = "3s", lease = "30s")
		@DistributedLock(key = "'b'", waitFor = "3s", lease = "20s")
		void interleaved(Runnable action) {
			action.run();
		}

		@DistributedLock(key = "'a'", waitFor = "20s")
		@DistributedLock(key = "'b'", waitFor = "100ms")
		List<List<String>> impatient() {
			return held();
		}

		@DistributedLock(key = "'a'", lease = "2s", autoRenew = false)
		@DistributedLock(key = "{'b', 'c'}")
		void someOfThemLimited(Runnable action) {
			action.run();
		}

		@DistributedLock(key = "'a'", lease = "200ms", autoRenew = false)
		@DistributedLock(key = "'b'")
		void hardLimit() {
			this.calls.incrementAndGet();
		}

		@DistributedLock(key = "'b'", lease = "20s")
		@DistributedLock(key = "'a'")
		void fails() {
			throw new IllegalStateException("on purpose");
		}

		@DistributedLock(key = "'a'", lease = "20s")
		@DistributedLock(key = "'b'")
		void oneWay() {
		}

	}

	static class Events implements LockListener {

		private final List<String> told = new CopyOnWriteArrayList<>();

		private final List<LockRequest> denied = new CopyOnWriteArrayList<>();

		@Override
		public void onAcquired(LockSnapshot lock, Duration waited) {
			this.told.add("+" + String.join(",", lock.keys()));
		}

		@Override
		public void onReleased(LockSnapshot lock, Duration held, ReleaseResult result) {
			this.told.add("-" + String.join(",", lock.keys()));
		}

		@Override
		public void onLost(LockSnapshot lock, Throwable cause) {
			this.told.add("!" + String.join(",", lock.keys()));
		}

		@Override
		public void onNotAcquired(LockRequest request, Duration waited) {
			this.denied.add(request);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Shelf.class, Events.class })
	static class Application {

	}

}
