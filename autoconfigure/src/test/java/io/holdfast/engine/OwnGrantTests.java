package io.holdfast.engine;

import java.time.Duration;
import java.util.stream.IntStream;

import io.holdfast.concurrent.MonotonicClock;
import io.holdfast.engine.store.LockStore.HoldId;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How a grant is renewed.
 */
class OwnGrantTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final OwnGrant grant = new OwnGrant(new HoldId("k", "a:1", 1), 0, LEASE, MonotonicClock.SYSTEM);

	@Test
	void eachEighthRenewalThatIsAnsweredIsComplete() {
		assertThat(IntStream.range(0, 17).filter((i) -> !isRepeated(LEASE)).toArray()).containsExactly(0, 8, 16);
	}

	@Test
	void renewalWithoutAnAnswerIsMadeAgain() {
		assertThat(this.grant.renewal(LEASE, null).again()).isFalse();
		assertThat(this.grant.renewal(LEASE, null).again()).isFalse();
		this.grant.confirm(LEASE, 0);
		assertThat(this.grant.renewal(LEASE, null).again()).isTrue();
	}

	@Test
	void anotherLeaseIsCompleteAndDoesNotCount() {
		Duration other = Duration.ofMinutes(5);
		assertThat(isRepeated(other)).isFalse();
		assertThat(isRepeated(LEASE)).isFalse();
		assertThat(isRepeated(other)).isFalse();
		assertThat(isRepeated(LEASE)).isTrue();
	}

	private boolean isRepeated(Duration lease) {
		boolean repeated = this.grant.renewal(lease, null).again();
		this.grant.confirm(lease, 0);
		return repeated;
	}

}
