package io.holdfast.faults.check;

import java.util.List;

import io.holdfast.faults.history.Outcome;
import io.holdfast.faults.worker.Plans;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.holdfast.faults.check.Histories.entry;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * That the checker finds what is wrong, and nothing else.
 */
@Tag("any-jdk")
class CheckerTests {

	private final Histories history = new Histories();

	private List<String> violations(Promise promise) {
		return this.history.violations(promise);
	}

	@ParameterizedTest
	@EnumSource(Promise.class)
	void findsNothingWhereOneComesAfterTheOther(Promise promise) {
		this.history.section("a", 0, 10, 1).writes(1, true).section("b", 11, 20, 2).writes(2, true);
		this.history.ledger(entry(1, 1), entry(2, 2)).refused("c", 0, 50, 0, Outcome.NOT_ACQUIRED);
		assertThat(violations(promise)).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(names = "TWO_MASTERS", mode = EnumSource.Mode.EXCLUDE)
	void findsTwoInsideAtOnce(Promise promise) {
		this.history.section("a", 0, 60, 1).section("b", 5, 70, 2);
		assertThat(violations(promise)).contains("b entered 'k' with a still inside, which was never told a loss");
	}

	@ParameterizedTest
	@EnumSource(names = "TWO_MASTERS", mode = EnumSource.Mode.EXCLUDE)
	void findsOneThatIsInsideAnother(Promise promise) {
		this.history.section("a", 0, 100, 1).section("b", 5, 6, 2).section("c", 50, 60, 3);
		assertThat(violations(promise)).contains("b entered 'k' with a still inside, which was never told a loss",
				"c entered 'k' with a still inside, which was never told a loss");
	}

	@ParameterizedTest
	@EnumSource(names = "TWO_MASTERS", mode = EnumSource.Mode.EXCLUDE)
	void findsAWriterAmongReaders(Promise promise) {
		this.history.shared("a", 0, 10, 1).shared("b", 2, 12, 2);
		assertThat(violations(promise)).isEmpty();
		this.history.section("c", 5, 6, 3);
		assertThat(violations(promise)).contains("c entered 'k' with a still inside, which was never told a loss",
				"c entered 'k' with b still inside, which was never told a loss");
	}

	@ParameterizedTest
	@EnumSource(names = "TWO_MASTERS", mode = EnumSource.Mode.EXCLUDE)
	void findsOneMoreThanThereArePermits(Promise promise) {
		this.history.of(Plans.LIMITED).shared("a", 0, 10, 1).shared("b", 2, 12, 2).shared("c", 11, 20, 3);
		assertThat(violations(promise)).isEmpty();
		this.history.shared("d", 12, 15, 4);
		assertThat(violations(promise))
			.contains("d entered 'limited' with b still inside, which was never told a loss");
	}

	@Test
	void excusesWhoWasToldItsLoss() {
		this.history.section("a", 0, 4, 10, 1, Outcome.LOST, 1).section("b", 5, 20, 2);
		assertThat(violations(Promise.LOSSES_TOLD)).isEmpty();
		assertThat(violations(Promise.GRANTS_FORGOTTEN)).isEmpty();
		assertThat(violations(Promise.NOTHING_LOST)).contains("a has lost [k]");
	}

	@Test
	void doesNotExcuseTheOneWithTheGreaterToken() {
		this.history.section("a", 0, 10, 1).section("b", 5, 6, 20, 2, Outcome.LOST, 1);
		assertThat(violations(Promise.LOSSES_TOLD))
			.contains("b entered 'k' with a still inside, which was never told a loss");
	}

	@Test
	void findsTwoThatWereBothToldThatTheyHold() {
		this.history.section("a", 0, 6, 10, 1, Outcome.LOST, 1).section("b", 5, 20, 2);
		assertThat(violations(Promise.LOSSES_TOLD)).containsExactly("a and b were both told that they hold 'k'");
		assertThat(violations(Promise.GRANTS_FORGOTTEN)).isEmpty();
	}

	@Test
	void excusesAnEndThatIsNotKnownOnlyWhereGrantsMayBeForgotten() {
		this.history.section("a", 0, 4, 10, 1, Outcome.PENDING, 0).section("b", 5, 20, 2);
		assertThat(violations(Promise.GRANTS_FORGOTTEN)).isEmpty();
		assertThat(violations(Promise.LOSSES_TOLD))
			.containsExactly("b entered 'k' with a still inside, which was never told a loss");
	}

	@ParameterizedTest
	@EnumSource(Promise.class)
	void findsATokenThatDoesNotGrow(Promise promise) {
		this.history.section("a", 0, 10, 2).section("b", 52, 60, 1);
		assertThat(violations(promise)).containsExactly("b was granted 'k' with token 1 after 2");
	}

	@Test
	void excusesATokenThatDoesNotGrowOnlyWhereAForgottenGrantIsPassedOn() {
		this.history.section("a", 0, 10, 2).section("b", 20, 30, 1);
		assertThat(violations(Promise.TWO_MASTERS)).isEmpty();
		assertThat(violations(Promise.GRANTS_FORGOTTEN)).isEmpty();
		assertThat(violations(Promise.LOSSES_TOLD)).containsExactly("b was granted 'k' with token 1 after 2");
		this.history.section("b", 31, 35, 4).section("b", 40, 41, 3);
		assertThat(violations(Promise.TWO_MASTERS)).containsExactly("b was granted 'k' with token 3 after 4");
	}

	@Test
	void excusesAnEndThatNobodyAskedForOnlyWhereGrantsMayBeForgotten() {
		this.history.section("a", 0, 54, 1).writes(1, false).section("b", 5, 60, 2).writes(1, true);
		this.history.ledger(entry(2, 1));
		assertThat(violations(Promise.GRANTS_FORGOTTEN)).isEmpty();
		assertThat(violations(Promise.LOSSES_TOLD))
			.contains("b entered 'k' with a still inside, which was never told a loss", "Refused write of 'k' by a");
	}

	@Test
	void excusesNoRefusedWriteForOneWhoEnteredLater() {
		this.history.section("a", 0, 10, 1).writes(1, false).section("b", 11, 20, 2).writes(1, true);
		this.history.ledger(entry(2, 1));
		assertThat(violations(Promise.GRANTS_FORGOTTEN)).containsExactly("Refused write of 'k' by a");
	}

	@ParameterizedTest
	@EnumSource(Promise.class)
	void findsATokenThatIsGrantedTwice(Promise promise) {
		this.history.section("a", 0, 10, 2).section("b", 10, 30, 2);
		assertThat(violations(promise)).contains("a and b were granted 'k' with the same token");
	}

	@ParameterizedTest
	@EnumSource(Promise.class)
	void findsAnUpdateThatWasUndone(Promise promise) {
		this.history.section("a", 0, 10, 1).writes(1, true).section("b", 11, 20, 2).writes(1, true);
		this.history.ledger(entry(1, 1), entry(2, 1));
		assertThat(violations(promise)).singleElement().asString().startsWith("The ledger has");
	}

	@ParameterizedTest
	@EnumSource(Promise.class)
	void findsAnUpdateThatTheLedgerDoesNotHave(Promise promise) {
		this.history.section("a", 0, 10, 1).writes(1, true);
		assertThat(violations(promise)).containsExactly("Lost write of 1 of 'k' by a");
	}

	@ParameterizedTest
	@EnumSource(names = "TWO_MASTERS", mode = EnumSource.Mode.EXCLUDE)
	void findsARefusalThatNobodyHasExplained(Promise promise) {
		this.history.section("a", 0, 10, 1).writes(1, false);
		assertThat(violations(promise)).containsExactly("Refused write of 'k' by a");
	}

	@ParameterizedTest
	@EnumSource(Promise.class)
	void findsAWaitThatWasTooLong(Promise promise) {
		this.history.refused("a", 0, 1101, 1000, Outcome.NOT_ACQUIRED);
		assertThat(violations(promise)).containsExactly("a waited 101 ms longer than it should");
	}

	@ParameterizedTest
	@EnumSource(Promise.class)
	void doesNotCountATimeInWhichTheWorkerStoodStill(Promise promise) {
		this.history.refused("a", 0, 1101, 1000, Outcome.NOT_ACQUIRED).paused("b", 500, 900).paused("a", 1000, 1002);
		assertThat(violations(promise)).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(Promise.class)
	void findsALossThatIsToldOnlyToTheCaller(Promise promise) {
		this.history.section("a", 0, 4, 10, 1, Outcome.LOST, 0);
		assertThat(violations(promise)).contains("a ended LOST, and its listener was told a loss 0 times");
	}

	@ParameterizedTest
	@EnumSource(Promise.class)
	void findsALossThatIsToldTwiceOrOnlyToTheListener(Promise promise) {
		this.history.section("a", 0, 4, 10, 1, Outcome.LOST, 2).section("b", 20, 24, 30, 2, Outcome.RELEASED, 1);
		assertThat(violations(promise)).contains("a ended LOST, and its listener was told a loss 2 times",
				"b ended RELEASED, and its listener was told a loss 1 times");
	}

	@ParameterizedTest
	@EnumSource(Promise.class)
	void findsAnExceptionThatNobodyShouldSee(Promise promise) {
		this.history.refused("a", 0, 0, 0, Outcome.FAILED);
		assertThat(violations(promise)).containsExactly("a failed: why");
	}

	@ParameterizedTest
	@EnumSource(Promise.class)
	void findsARefusalOnlyWhereNobodyShouldNoticeAnything(Promise promise) {
		this.history.refused("a", 0, 0, 0, Outcome.UNAVAILABLE).refused("b", 0, 50, 0, Outcome.NOT_ACQUIRED);
		assertThat(violations(promise)).isEmpty();
		assertThat(this.history.violationsUnnoticed(promise))
			.containsExactly("a was refused: Redis could not be asked");
	}

	@Test
	void excusesALossOnlyOfWhoStoodStillForHalfALease() {
		this.history.section("a", 0, 1600, 1700, 1, Outcome.LOST, 1).paused("a", 0, 1499).paused("b", 0, 1700);
		assertThat(violations(Promise.NOTHING_LOST)).containsExactly("a has lost [k]");
		this.history.paused("a", 1600, 1601);
		assertThat(violations(Promise.NOTHING_LOST)).isEmpty();
	}

	@Test
	void excusesARefusalOnlyOfWhoStoodStillMeanwhile() {
		this.history.refused("a", 1000, 1500, 2000, Outcome.UNAVAILABLE).paused("a", 500, 1000).paused("b", 0, 1500);
		assertThat(this.history.violationsUnnoticed(Promise.NOTHING_LOST))
			.containsExactly("a was refused: Redis could not be asked");
		this.history.paused("a", 1400, 1800);
		assertThat(this.history.violationsUnnoticed(Promise.NOTHING_LOST)).isEmpty();
	}

	@Test
	void expectsLittleOfTwoMasters() {
		this.history.section("a", 0, 55, 1).writes(1, false).section("b", 5, 60, 2).writes(1, true);
		this.history.ledger(entry(2, 1));
		assertThat(violations(Promise.TWO_MASTERS)).isEmpty();
		assertThat(violations(Promise.GRANTS_FORGOTTEN)).hasSize(2);
	}

	@Test
	void countsAWorkerThatWasKilledAsInsideUntilThen() {
		this.history.section("a", 0, -1, 10, 1, null, 0).section("b", 10, 20, 2);
		assertThat(violations(Promise.NOTHING_LOST)).isNotEmpty();
		assertThat(violations(Promise.LOSSES_TOLD)).isEmpty();
	}

}
