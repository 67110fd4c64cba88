package io.holdfast.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.actuate.LocksApplication.Answer;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The endpoint with Redis dead and frozen.
 */
@Tag("any-jdk")
@Tag("slow")
class LocksEndpointOutageTests {

	private static final String THREADS = "holdfast-actuator";

	private static final List<String> QUESTIONS = List.of("?scope=cluster", "/k", "/other", "?key=k");

	private final Set<Thread> others = Threads.named(THREADS);

	private RedisProcess redis = new RedisProcess();

	private LocksApplication application;

	@AfterEach
	void stop() {
		this.application.close();
		this.redis.close();
	}

	private void start(String... properties) {
		this.redis.start();
		this.application = LocksApplication.start("shop",
				Stream
					.concat(Stream.of("spring.data.redis.port=" + this.redis.port(), "holdfast.shutdown-grace=0"),
							Stream.of(properties))
					.toArray(String[]::new));
	}

	@Test
	void whatTheInstanceKnowsIsToldWhenRedisIsDead() {
		this.redis = new RedisProcess("--requirepass", "s3cret");
		start("spring.data.redis.url=redis://default:s3cret@127.0.0.1:" + this.redis.port());
		LockHandle lock = this.application.template().acquire(LockRequest.of("k").lease(Duration.ofMinutes(1)));
		assertThat(this.application.get("/k").status()).isEqualTo(200);
		this.redis.kill();
		QUESTIONS.forEach((question) -> assertUnavailable(() -> this.application.getOnce(question)));
		assertUnavailable(() -> this.application.deleteOnce("/k"));
		assertUnavailable(() -> this.application.deleteOnce("?key=k"));
		assertThat(this.application.getOnce("").status()).isEqualTo(200);
		assertThat(this.application.getOnce("").keys()).containsExactly("k");
		assertThat(lock.isHeld()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void answersInTimeWhenRedisHangs(String client) {
		start("spring.data.redis.timeout=1m", "spring.data.redis.client-type=" + client);
		LockHandle lock = this.application.template().acquire(LockRequest.of("k").lease(Duration.ofMinutes(5)));
		this.redis.freeze();
		QUESTIONS.forEach((question) -> assertUnavailable(() -> this.application.getOnce(question)));
		assertUnavailable(() -> this.application.deleteOnce("/k"));
		assertThat(this.application.getOnce("").keys()).containsExactly("k");
		assertThat(lock.isHeld()).isTrue();
		thaw();
		assertThat(lock.extend(Duration.ofMinutes(5))).as("not released after the operator was told").isTrue();

		this.redis.freeze();
		assertThatAllFail(20, () -> this.application.getOnce("?scope=cluster"));
		assertThat(threads()).hasSizeLessThanOrEqualTo(20);
		thaw();

		this.redis.freeze();
		assertThatAllFail(2, () -> this.application.deleteOnce("/other"));
		assertUnavailable(() -> this.application.deleteOnce("/k"));
		thaw();
		assertThat(this.application.get("?scope=cluster").keys()).as("what was not begun in time is not done later")
			.containsExactly("k");
		assertThat(lock.isHeld()).isTrue();
	}

	private static void assertThatAllFail(int count, Supplier<Answer> question) {
		List<CompletableFuture<Answer>> answers = Stream.generate(() -> Threads.start(question::get))
			.limit(count)
			.toList();
		answers.forEach((answer) -> assertThat(Threads.join(answer).status()).isEqualTo(503));
	}

	private void thaw() {
		this.redis.unfreeze();
		await().until(() -> this.application.getOnce("?scope=cluster").status() == 200);
		await("end of the calls that hung").until(() -> threads().isEmpty());
	}

	private Set<Thread> threads() {
		return Threads.named(THREADS, this.others);
	}

	private void assertUnavailable(Supplier<Answer> question) {
		long start = System.nanoTime();
		Answer answer = question.get();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
		assertThat(answer.status()).isEqualTo(503);
		assertThat(answer.json().get("instance")).isEqualTo(this.application.id());
		assertThat((String) answer.json().get("error")).containsAnyOf("Redis", "Too much else")
			.doesNotContain("s3cret");
		assertThat(answer.keys()).containsExactly("k");
	}

}
