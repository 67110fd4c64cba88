package io.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How long a hold can be relied on.
 */
class LeaseTests {

	private static final Duration GRANTED = Duration.ofSeconds(10);

	/**
	 * One percent of the lease, and two milliseconds.
	 */
	private static final Duration DRIFT = Duration.ofMillis(102);

	/**
	 * About to overflow, as nothing forbids a monotonic clock to be.
	 */
	private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - Duration.ofSeconds(5).toNanos());

	private final Lease lease = new Lease(this.now::get, this.now.get(), GRANTED);

	private void pass(Duration time) {
		this.now.addAndGet(time.toNanos());
	}

	@Test
	void endsBeforeTheStoreLetsGo() {
		assertThat(this.lease.remaining()).isEqualTo(GRANTED.minus(DRIFT));
		pass(GRANTED.minus(DRIFT).minusNanos(1));
		assertThat(this.lease.isOver()).isFalse();
		pass(Duration.ofNanos(1));
		assertThat(this.lease.isOver()).isTrue();
		assertThat(this.lease.remaining()).isZero();
	}

	@Test
	void countsFromWhenTheRequestWasSent() {
		long sentAt = this.now.get();
		pass(Duration.ofSeconds(4));
		this.lease.prolong(sentAt, Duration.ofSeconds(20));
		assertThat(this.lease.remaining()).isEqualTo(Duration.ofMillis(16_000 - 202));
	}

	@Test
	void staysOverWhenItIsProlongedTooLate() {
		pass(GRANTED);
		this.lease.prolong(this.now.get(), GRANTED);
		assertThat(this.lease.isOver()).isTrue();
		assertThat(this.lease.remaining()).isZero();
	}

	@Test
	void canBeAsLongAsADurationCan() {
		this.lease.prolong(this.now.get(), Duration.ofSeconds(Long.MAX_VALUE));
		pass(Duration.ofDays(36_500));
		assertThat(this.lease.isOver()).isFalse();
	}

}
