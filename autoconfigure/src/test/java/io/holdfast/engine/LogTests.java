package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockRequest;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.redis.RedisStores;
import io.holdfast.test.RecordedLog;
import io.holdfast.test.RecordedLog.Line;
import io.holdfast.test.Threads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

/**
 * What is written to the log about locks.
 */
@Tag("slow")
@Tag("any-jdk")
class LogTests extends AbstractNetworkTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

	private static final Duration LIMIT = Duration.ofMillis(200);

	/**
	 * Until then, something else has happened as well, even if the machine stands still
	 * for a while.
	 */
	private static final Duration PATIENT_LIMIT = Duration.ofSeconds(3);

	/**
	 * A lease that is renewed in time, on a machine that stands still for a moment.
	 */
	private static final Duration RENEWED = Duration.ofSeconds(6);

	private RecordedLog log;

	@BeforeEach
	void record() {
		this.log = new RecordedLog();
	}

	@AfterEach
	void stopRecording() {
		this.log.close();
	}

	private TestInstance warning(@Nullable Duration hold, @Nullable Duration waiting) {
		return closing(new TestInstance(stores()::open, hold, waiting));
	}

	private String owner(TestInstance instance) {
		return instance.id() + ":" + Thread.currentThread().getId();
	}

	private Line onlyLine(String text) {
		await().until(() -> !this.log.lines(text, this.key).isEmpty());
		List<Line> lines = this.log.lines(text, this.key);
		assertThat(lines).hasSize(1).noneMatch(Line::hasTrace).noneMatch((line) -> line.text().contains("\n"));
		return lines.get(0);
	}

	// Losses

	@Test
	void lossIsOneLine() {
		this.one.template().acquire(this.key);
		stores().takeAway(this.key);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.one.registry()::ensureHeldByCurrentThread);
		Line line = onlyLine("Lost lock");
		assertThat(line.level()).isEqualTo("WARN");
		assertThat(line.text()).contains(
				"of thread '%s' of this instance (%s): ".formatted(Thread.currentThread().getName(), owner(this.one)));
		assertThat(line.values()).contains(entry("key", this.key), entry("owner", owner(this.one)),
				entry("thread", Thread.currentThread().getName()));
	}

	@Test
	void releaseByForceNamesWhatWasReleased() {
		LockHandle lock = this.one.template().acquire(this.key);
		this.two.registry().operations().forceRelease(this.key, null, Duration.ofSeconds(20));
		Line line = onlyLine("was released by force");
		assertThat(line.level()).isEqualTo("WARN");
		assertThat(line.text()).contains(owner(this.one), "token " + lock.fencingToken());
		assertThat(line.values()).contains(entry("key", this.key), entry("owner", owner(this.one)),
				entry("token", String.valueOf(lock.fencingToken())));
	}

	// What is in keys

	/**
	 * A key, and what else a user has typed, cannot write lines of its own.
	 */
	@Test
	void keyStaysWithinItsLine() {
		String forging = this.key + "\nWARN a\rb\u0085c\u2028d\u001b[2Je";
		String written = this.key + "\\nWARN a\\rb\\u0085c\\u2028d\\u001b[2Je";
		TestInstance instance = warning(LIMIT, LIMIT);
		LockHandle lock = instance.template().acquire(LockRequest.of(forging));
		CompletableFuture<LockHandle> waiter = acquire(instance, LockRequest.of(forging).waitForever());
		onlyLine("Long hold");
		onlyLine("Long wait");
		this.two.registry().operations().forceRelease(forging, null, Duration.ofSeconds(20));
		onlyLine("was released by force");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(instance.registry()::ensureHeldByCurrentThread);
		onlyLine("Lost lock");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::ensureHeld)
			.withMessageContaining(written)
			.satisfies((loss) -> assertThat(loss.getKey()).isEqualTo(forging));
		assertThat(this.log.lines(this.key)).hasSizeGreaterThan(3).allSatisfy((line) -> {
			assertThat(line.text()).contains(written).matches("[^\\p{Cntrl}\u0085\u2028]+");
			assertThat(line.values()).containsEntry("key", forging);
		});
		Threads.join(waiter).release();
	}

	// Renewal

	@Test
	void failingRenewalNamesWhatIsAtRiskOnce() {
		LockHandle lock = this.one.template().acquire(request().lease(RENEWED));
		this.network.loseRequests(Operation.RENEW, 4);
		Line failing = onlyLine("Renewal of locks is failing");
		assertThat(failing.level()).isEqualTo("WARN");
		assertThat(failing.values()).contains(entry("key", this.key), entry("owner", owner(this.one)),
				entry("atRisk", "1"));
		assertThat(Long.parseLong(failing.values().get("remainingMs"))).isBetween(1L, RENEWED.toMillis() * 2 / 3);
		await().untilAsserted(
				() -> assertThat(this.log.lines("Renewal of locks has recovered")).anySatisfy((recovered) -> {
					assertThat(recovered.level()).isEqualTo("INFO");
					assertThat(Long.parseLong(recovered.values().get("failedMs"))).isBetween(1L, RENEWED.toMillis());
				}));
		onlyLine("Renewal of locks is failing");
		assertThat(lock.isHeld()).isTrue();
	}

	// Long holds

	@Test
	void longHoldIsToldWhileItGoesOnAndOnce() {
		TestInstance instance = warning(PATIENT_LIMIT, null);
		LockHandle lock = instance.template().acquire(this.key);
		CompletableFuture<LockHandle> waiter = acquire(instance, request());
		Line line = onlyLine("Long hold");
		assertThat(line.level()).isEqualTo("WARN");
		assertThat(line.text()).contains("so far, callers of this instance wait for it");
		assertThat(line.values()).contains(entry("key", this.key), entry("owner", owner(instance)),
				entry("thread", Thread.currentThread().getName()), entry("waitedFor", "true"));
		assertThat(Long.parseLong(line.values().get("heldMs"))).isBetween(PATIENT_LIMIT.toMillis(), 60_000L);
		lock.release();
		assertThat(this.log.lines("Long hold", "(" + owner(instance) + ")")).hasSize(1);
		Threads.join(waiter).release();
	}

	// Long waits

	@Test
	void longWaitIsToldWhileItGoesOnAndOnce() {
		TestInstance instance = warning(null, PATIENT_LIMIT);
		LockHandle lock = this.one.template().acquire(this.key);
		CompletableFuture<LockHandle> waiter = acquire(instance, request().waitForever());
		Line line = onlyLine("Long wait");
		assertThat(line.level()).isEqualTo("WARN");
		assertThat(line.text()).contains("so far, holder last seen: " + owner(this.one));
		assertThat(line.values()).contains(entry("key", this.key), entry("thread", "test-thread"),
				entry("holder", owner(this.one)));
		assertThat(line.values().get("owner")).startsWith(instance.id() + ":");
		lock.release();
		Threads.join(waiter).release();
		assertThat(this.log.lines("Long wait", this.key)).hasSize(1);
	}

}
