package io.holdfast.quorum;

import java.time.Duration;
import java.util.List;

import io.holdfast.engine.LockStore.Denied;
import io.holdfast.quorum.NodeLocks.Attempt;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What denials of five nodes mean.
 */
@Tag("any-jdk")
class DenialsTests {

	private static final int QUORUM = 3;

	private static Attempt heldBy(@Nullable String owner, long millis) {
		return new Attempt(new Denied(owner, Duration.ofMillis(millis)), null);
	}

	private static Attempt behind(String place) {
		return new Attempt(new Denied(null, Duration.ofMillis(900)), place);
	}

	private static Denials denials(int granted, Attempt... attempts) {
		return new Denials(List.of(attempts), granted, QUORUM);
	}

	@Test
	void lastsUntilAQuorumCouldGrant() {
		assertThat(denials(0, heldBy("a", 10), heldBy("a", 40), heldBy("a", 30)).remaining()).hasMillis(40);
		assertThat(denials(1, heldBy("a", 10), heldBy("a", 40), heldBy("a", 30)).remaining()).hasMillis(30);
		assertThat(denials(2, heldBy("a", -1), heldBy("a", 5)).remaining()).hasMillis(5);
		assertThat(denials(1, heldBy("a", -1), heldBy("a", 5)).remaining()).isNegative();
		assertThat(denials(1, heldBy("a", 5)).remaining()).isNegative();
	}

	@Test
	void namesWhoHoldsMost() {
		assertThat(denials(0, heldBy("a", 1), heldBy("b", 1), heldBy("b", 1), behind("x")).holder()).isEqualTo("b");
		assertThat(denials(1, behind("x"), behind("y")).holder()).isNull();
	}

	@Test
	void queuesAreSplitWhenNobodyIsFirstOnAQuorum() {
		assertThat(denials(2, behind("x"), behind("y"), behind("x")).isSplit()).isTrue();
		assertThat(denials(1, behind("x"), behind("x")).isSplit()).isTrue();
	}

	@Test
	void queuesAreNotSplitWhenSomebodyIsFirstOnAQuorum() {
		assertThat(denials(2, behind("x"), behind("x"), behind("x")).isSplit()).isFalse();
		assertThat(denials(3, behind("x"), behind("y")).isSplit()).isFalse();
	}

	@Test
	void queuesAreNotKnownToBeSplitWhileSomebodyHoldsTheLockOrNobodyGrants() {
		assertThat(denials(2, behind("x"), behind("y"), heldBy("a", 5)).isSplit()).isFalse();
		assertThat(denials(0, behind("x"), behind("y"), behind("z")).isSplit()).isFalse();
		assertThat(denials(5).isSplit()).isFalse();
	}

}
