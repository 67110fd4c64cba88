package io.holdfast.engine;

import java.time.Duration;
import java.util.stream.IntStream;

import io.holdfast.concurrent.MonotonicClock;
import io.holdfast.engine.store.LockStore.HoldId;
import io.holdfast.engine.store.LockStore.Renewal;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How a grant is renewed.
 */
class OwnGrantTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final OwnGrant grant = new OwnGrant(new HoldId("k", "a:1", 1), 1, 0, LEASE, MonotonicClock.SYSTEM);

	private long now;

	@Test
	void renewalIsCompleteWhenTheLastCompleteOneIsEightLeasesOld() {
		assertThat(IntStream.range(0, 49).filter((i) -> {
			boolean complete = !isRepeated(LEASE);
			this.now += LEASE.dividedBy(3).toNanos();
			return complete;
		}).toArray()).containsExactly(0, 24, 48);
	}

	/**
	 * As that of the watchdog and that of a commit, at the same time.
	 */
	@Test
	void renewalsInAnyNumberDoNotPutOffTheCompleteOne() {
		assertThat(isRepeated(LEASE)).isFalse();
		assertThat(IntStream.range(0, 100).allMatch((i) -> isRepeated(LEASE))).isTrue();
		this.now += 8 * LEASE.toNanos();
		assertThat(this.grant.renewal(LEASE, null, this.now).again()).isFalse();
		assertThat(isRepeated(LEASE)).isFalse();
	}

	@Test
	void renewalWithoutAnAnswerIsMadeAgain() {
		assertThat(this.grant.renewal(LEASE, null, this.now).again()).isFalse();
		assertThat(isRepeated(LEASE)).isFalse();
		assertThat(isRepeated(LEASE)).isTrue();
	}

	@Test
	void anotherLeaseIsCompleteAndDoesNotCount() {
		Duration other = Duration.ofMinutes(5);
		assertThat(isRepeated(other)).isFalse();
		assertThat(isRepeated(LEASE)).isFalse();
		assertThat(isRepeated(other)).isFalse();
		assertThat(isRepeated(LEASE)).isTrue();
		this.now += 8 * LEASE.toNanos();
		assertThat(isRepeated(other)).isFalse();
		assertThat(isRepeated(LEASE)).isFalse();
	}

	private boolean isRepeated(Duration lease) {
		Renewal renewal = this.grant.renewal(lease, null, this.now);
		this.grant.confirm(renewal, this.now);
		return renewal.again();
	}

}
