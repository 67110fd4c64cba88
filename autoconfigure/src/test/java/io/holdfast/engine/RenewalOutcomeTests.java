package io.holdfast.engine;

import java.time.Duration;

import io.holdfast.engine.LockStore.Gone;
import io.holdfast.engine.LockStore.NotAnswered;
import io.holdfast.engine.LockStore.RenewalOutcome;
import io.holdfast.engine.LockStore.Renewed;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What becomes of a hold of which the parts have fared differently.
 */
class RenewalOutcomeTests {

	private static final RenewalOutcome SHORT = new Renewed(Duration.ofSeconds(1));

	private static final RenewalOutcome LONG = new Renewed(Duration.ofSeconds(2));

	private static final RenewalOutcome GONE = new Gone();

	private static final RenewalOutcome NOT_ANSWERED = new NotAnswered(new LockStoreException("silent", null, true));

	@Test
	void lastsAsLongAsEachOfItsParts() {
		assertBoth(SHORT, LONG, SHORT);
		assertBoth(LONG, LONG, LONG);
	}

	@Test
	void isGoneWhenAPartIs() {
		assertBoth(GONE, LONG, GONE);
		assertBoth(GONE, NOT_ANSWERED, GONE);
		assertBoth(GONE, GONE, GONE);
	}

	@Test
	void isNotKnownToBeHeldWhenThereIsNoAnswerForAPart() {
		assertBoth(NOT_ANSWERED, LONG, NOT_ANSWERED);
		assertBoth(NOT_ANSWERED, NOT_ANSWERED, NOT_ANSWERED);
	}

	private static void assertBoth(RenewalOutcome one, RenewalOutcome other, RenewalOutcome expected) {
		assertThat(one.and(other)).isEqualTo(expected);
		assertThat(other.and(one)).isEqualTo(expected);
	}

}
