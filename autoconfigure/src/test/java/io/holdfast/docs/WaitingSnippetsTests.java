package io.holdfast.docs;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.DistributedLock;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRegistry;
import io.holdfast.LockSnapshot;
import io.holdfast.LockTemplate;
import io.holdfast.OnFailure;
import io.holdfast.RunOnce;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * How long a lock is waited for and held, and what happens without it.
 */
@GuideTest
@Import({ WaitingSnippetsTests.Imports.class, WaitingSnippetsTests.Quotes.class, WaitingSnippetsTests.Nightly.class })
@TestPropertySource(properties = "imports.lease=45s")
@Tag("slow")
class WaitingSnippetsTests {

	@Autowired
	private Imports imports;

	@Autowired
	private Quotes quotes;

	@Autowired
	private Nightly nightly;

	@Autowired
	private LockRegistry registry;

	@Autowired
	private AcquiredLocks acquired;

	@Autowired
	private LockTemplate locks;

	@Test
	void times() {
		assertThat(leaseOf(this.imports::importAll)).isBetween(Duration.ofSeconds(50), Duration.ofMinutes(1));
		assertThat(leaseOf(() -> this.imports.importFile("a"))).isBetween(Duration.ofSeconds(40),
				Duration.ofSeconds(45));
	}

	private Duration leaseOf(Runnable action) {
		return this.acquired.by(action).stream().map(LockSnapshot::remainingLease).findFirst().orElseThrow();
	}

	@Test
	void throwsWithoutTheLock() {
		otherInstance().whileItHolds("import",
				() -> assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(this.imports::importAll)
					.satisfies((ex) -> assertThat(ex.getKey()).isEqualTo("import"))
					.satisfies((ex) -> assertThat(ex.getHolder()).isNotNull()));
	}

	@Test
	void skipsWithoutTheLock() {
		assertThat(this.quotes.refresh("anvil")).contains("fresh anvil");
		otherInstance().whileItHolds("quote:anvil", () -> assertThat(this.quotes.refresh("anvil")).isEmpty());
	}

	@Test
	void fallsBackWithoutTheLock() {
		assertThat(this.quotes.quote("anvil")).isEqualTo("fresh anvil");
		otherInstance().whileItHolds("quote:anvil",
				() -> assertThat(this.quotes.quote("anvil")).isEqualTo("last known anvil"));
	}

	@Test
	void schedulerRunsEachTickOnce() {
		this.nightly.report();
		this.nightly.report();
		assertThat(this.nightly.runs()).isOne();
		this.nightly.bill();
		this.nightly.bill();
		assertThat(this.nightly.runs()).isEqualTo(2);
		assertThat(otherInstance().canLock("nightly-report")).isFalse();
	}

	private OtherInstance otherInstance() {
		return new OtherInstance(this.locks);
	}

	static class Imports {

		// snippet: times
		@DistributedLock(name = "import", lease = "1m", waitFor = "0", maxHold = "10m")
		public void importAll() {
			// one try; the lease is renewed every 20 s, for at most 10 minutes
		}

		@DistributedLock(name = "import", key = "#file", lease = "${imports.lease}", autoRenew = false)
		public void importFile(String file) {
			// the lease is a hard limit
		}
		// end

	}

	static class Quotes {

		// snippet: skip
		@DistributedLock(name = "quote", key = "#item", waitFor = "0", onFailure = OnFailure.SKIP)
		public Optional<String> refresh(String item) {
			return Optional.of(market(item)); // empty if another caller has the lock
		}
		// end

		// snippet: fallback
		@DistributedLock(name = "quote", key = "#item", waitFor = "200ms", fallback = "lastKnown")
		public String quote(String item) {
			return market(item);
		}

		private String lastKnown(String item, LockNotAcquiredException ex) {
			return cached(item); // runs without the lock
		}
		// end

		private static String market(String item) {
			return "fresh " + item;
		}

		private static String cached(String item) {
			return "last known " + item;
		}

	}

	static class Nightly {

		private final AtomicInteger runs = new AtomicInteger();

		// snippet: run-once
		@Scheduled(cron = "0 0 * * * *") // on all instances, at about the same time
		@RunOnce(per = "1h")
		public void bill() {
			this.runs.incrementAndGet();
		}
		// end

		// snippet: scheduler
		@Scheduled(cron = "0 0 2 * * *") // on all instances, at about the same time
		@DistributedLock(name = "nightly-report", waitFor = "0", minHold = "10m", lease = "10m",
				onFailure = OnFailure.SKIP, onUnavailable = OnFailure.SKIP)
		public void report() {
			this.runs.incrementAndGet();
		}
		// end

		int runs() {
			return this.runs.get();
		}

	}

}
