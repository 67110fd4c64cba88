package io.holdfast.faults.shutdown;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.faults.worker.Worker;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.awaitility.Awaitility.await;

/**
 * An application, and all who hold locks and wait for some in it. A hundred are held: in
 * sections, and until stages are complete, which takes longest. A hundred are waited for
 * in all ways: those of another instance, and some that this one holds.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, HoldfastAutoConfiguration.class })
@Import({ Crew.AnnotatedWaiter.class, Witnesses.class })
class Crew implements Worker.Job {

	/**
	 * How many hold a lock, and how many wait for one.
	 */
	static final int SIZE = 100;

	private static final Duration LIMIT = Duration.ofMinutes(3);

	private final LockTemplate locks;

	private final HoldfastLockRegistry registry;

	private final AnnotatedWaiter annotated;

	private final Ending ending;

	private final String name;

	private final Duration more;

	/**
	 * Create a crew.
	 * @param name what its keys are called after
	 * @param more for how long to go on when the application is asked to end
	 */
	Crew(LockTemplate locks, HoldfastLockRegistry registry, AnnotatedWaiter annotated, Ending ending,
			@Value("${crew.name}") String name, @Value("${crew.more}") Duration more) {
		this.locks = locks;
		this.registry = registry;
		this.annotated = annotated;
		this.ending = ending;
		this.name = name;
		this.more = more;
	}

	@Bean
	static Ending ending(@Value("${crew.answers}") int expected) {
		return new Ending(expected);
	}

	/**
	 * Hold locks, then wait for others. Returns when all do.
	 */
	@Override
	public void prepare() {
		hold();
		await().atMost(LIMIT).until(() -> this.registry.status().held() == SIZE);
		waitForOthers();
		await().atMost(LIMIT).until(() -> this.registry.status().waiting() == SIZE);
	}

	@Override
	public String follow(String command) {
		throw new UnsupportedOperationException(command);
	}

	static Stream<String> keys(String kind, int number) {
		return IntStream.range(0, number).mapToObj((i) -> kind + "-" + i);
	}

	private static void start(Runnable task) {
		new Thread(task, "crew").start();
	}

	private void tell(String who, Supplier<String> action) {
		String outcome;
		try {
			outcome = action.get();
		}
		catch (RuntimeException ex) {
			outcome = ex.toString();
		}
		this.ending.tellExpected("%s: %s", who, outcome);
	}

	private void hold() {
		keys(this.name + "-section", 80).forEach((key) -> start(() -> tell(key, () -> section(key))));
		CompletableFuture<String> stage = new CompletableFuture<>();
		keys(this.name + "-stage", 20).forEach((key) -> holdFor(stage, key));
		start(() -> {
			this.ending.work(this.more);
			this.ending.workUntilRenewed(this.registry);
			stage.complete("worked");
		});
	}

	private String section(String key) {
		return this.locks.execute(key, (lock) -> {
			noteLoss(lock);
			this.ending.work(this.more);
			return state(lock);
		});
	}

	private void holdFor(CompletableFuture<String> stage, String key) {
		this.locks.executeAsync(LockRequest.of(key), (lock) -> {
			noteLoss(lock);
			return stage.thenApply((worked) -> state(lock));
		}).whenComplete((state, failure) -> tell(key, () -> (failure != null) ? failure.toString() : state));
	}

	private void noteLoss(LockHandle lock) {
		lock.onLost((lost) -> this.ending.tell("%s: lost", lost.keys().get(0)));
	}

	private static String state(LockHandle lock) {
		return lock.isHeld() ? "held to the end" : "not held";
	}

	private void waitForOthers() {
		keys("busy", 20).forEach((key) -> waitFor(LockRequest.of(key)));
		keys("fair-busy", 20).forEach((key) -> waitFor(LockRequest.of(key).fair()));
		keys("annotated-busy", 20)
			.forEach((key) -> start(() -> tell("waiter for " + key, () -> this.annotated.workOn(key))));
		keys("async-busy", 20).forEach(this::waitAsyncFor);
		keys(this.name + "-section", 10).forEach((key) -> waitFor(LockRequest.of(key)));
		keys(this.name + "-stage", 10).forEach(this::waitAsyncFor);
	}

	private void waitFor(LockRequest request) {
		start(() -> tell("waiter for " + request.keys().get(0),
				() -> this.locks.execute(request.waitForever(), (lock) -> "got it")));
	}

	private void waitAsyncFor(String key) {
		this.locks.acquireAsync(LockRequest.of(key).waitForever())
			.whenComplete((lock, failure) -> tell("waiter for " + key,
					() -> (failure != null) ? failure.toString() : "got it"));
	}

	static class AnnotatedWaiter {

		@DistributedLock(key = "#key", waitFor = "-1")
		String workOn(String key) {
			return "got " + key;
		}

	}

}
