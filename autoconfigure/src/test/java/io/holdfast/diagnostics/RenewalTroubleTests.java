package io.holdfast.diagnostics;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.holdfast.LockMode;
import io.holdfast.LockSnapshot;
import io.holdfast.engine.EngineListener.HeldLock;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.test.RecordedLog;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When renewals are said to fail, and not to do so any more.
 */
class RenewalTroubleTests {

	private static final IllegalStateException FAILURE = new IllegalStateException("out of reach\nfor now");

	private final AtomicLong now = new AtomicLong();

	private final RenewalTrouble trouble = new RenewalTrouble(this.now::get);

	private RecordedLog log;

	@BeforeEach
	void record() {
		this.log = new RecordedLog();
	}

	@AfterEach
	void stopRecording() {
		this.log.close();
	}

	private void fail(SomeLock... holds) {
		this.trouble.failed(List.of(holds), 10, FAILURE);
	}

	private void end(SomeLock hold) {
		hold.open.set(false);
		this.trouble.ended(hold);
	}

	private List<String> lines() {
		return this.log.lines("Renewal of locks").stream().map((line) -> line.text().substring(17, 30)).toList();
	}

	@Test
	void troubleIsOverWhenNothingFailsAnyMoreAndBeginsAnew() {
		SomeLock one = new SomeLock("one");
		SomeLock other = new SomeLock("other");
		fail(one);
		fail(other, one);
		this.trouble.answered(List.of(one));
		this.trouble.answered(List.of(one));
		assertThat(lines()).containsExactly("is failing, t");
		this.now.addAndGet(5_000_000);
		end(other);
		assertThat(this.log.lines("has failed for 5 ms, until all affected locks were lost or released")).hasSize(1);
		this.now.addAndGet(90_000_000);
		fail(one);
		this.now.addAndGet(6_000_000);
		this.trouble.answered(List.of(one));
		assertThat(this.log.lines("recovered after 6 ms")).hasSize(1);
		assertThat(lines()).hasSize(4);
	}

	@Test
	void answerThatALockIsGoneIsARecovery() {
		SomeLock hold = new SomeLock("key");
		fail(hold);
		hold.gone.set(true);
		end(hold);
		this.trouble.answered(List.of(hold));
		assertThat(lines()).containsExactly("is failing, t", "has recovered");
	}

	@Test
	void whatHasEndedAlreadyIsNoTrouble() {
		SomeLock hold = new SomeLock("key");
		end(hold);
		fail(hold);
		assertThat(lines()).isEmpty();
	}

	@Test
	void failureStaysWithinItsLine() {
		fail(new SomeLock("key"));
		assertThat(this.log.lines("out of reach\\nfor now")).hasSize(1);
	}

	@Test
	void onlyAFewOfManyLocksAtRiskAreNamed() {
		fail(IntStream.range(0, 10).mapToObj((i) -> new SomeLock("key-" + i)).toArray(SomeLock[]::new));
		RecordedLog.Line failing = this.log.lines("is failing").get(0);
		assertThat(failing.values().get("key").split(", ")).hasSize(6).endsWith("...");
		assertThat(failing.text()).contains("10 of 10 held at risk");
	}

	/**
	 * Whichever comes first: afterwards nothing is at risk, so the next failure is told.
	 */
	@Test
	void failureThatCrossesTheEndOfItsHoldIsNotKept() throws Exception {
		SomeLock last = new SomeLock("last");
		for (int i = 0; i < 500; i++) {
			SomeLock hold = new SomeLock("key-" + i);
			CyclicBarrier barrier = new CyclicBarrier(2);
			CompletableFuture<Integer> ending = Threads.start(() -> {
				int arrived = barrier.await(30, TimeUnit.SECONDS);
				end(hold);
				return arrived;
			});
			barrier.await(30, TimeUnit.SECONDS);
			fail(hold);
			Threads.join(ending);
			int before = this.log.lines("is failing").size();
			fail(last);
			assertThat(this.log.lines("is failing")).hasSize(before + 1);
			this.trouble.answered(List.of(last));
		}
	}

	/**
	 * A lock that is held until its test says otherwise.
	 */
	private static final class SomeLock implements HeldLock {

		private final AtomicBoolean open = new AtomicBoolean(true);

		private final AtomicBoolean gone = new AtomicBoolean();

		private final String key;

		private SomeLock(String key) {
			this.key = key;
		}

		@Override
		public HoldId id() {
			return new HoldId(this.key, "i:1", 1);
		}

		@Override
		public LockMode mode() {
			return LockMode.EXCLUSIVE;
		}

		@Override
		public boolean isOpen() {
			return this.open.get();
		}

		@Override
		public boolean isGone() {
			return this.gone.get();
		}

		@Override
		public LockSnapshot snapshot() {
			return new LockSnapshot(List.of(this.key), null, mode(), "i:1", "thread", Instant.EPOCH,
					Duration.ofSeconds(1), 1, 1);
		}

	}

}
