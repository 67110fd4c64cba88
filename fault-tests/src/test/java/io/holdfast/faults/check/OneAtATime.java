package io.holdfast.faults.check;

import java.util.List;

import io.holdfast.faults.history.Attempt;
import io.holdfast.faults.history.Attempt.Section;
import io.holdfast.faults.history.History;
import io.holdfast.faults.history.Outcome;

/**
 * No two guarded sections overlap, except where the older holder was told that it has
 * lost the lock, or could not be told any more.
 */
final class OneAtATime implements Rule {

	private final Overlaps overlaps = new Overlaps(Section::left);

	@Override
	public List<String> violations(History history, Promise promise) {
		return history.granted()
			.entrySet()
			.stream()
			.flatMap((granted) -> this.overlaps.find(granted.getKey(), granted.getValue())
				.stream()
				.filter((pair) -> !isExcused(pair, promise))
				.map((pair) -> "%s entered '%s' with %s still inside, which was never told a loss"
					.formatted(pair.newer().id(), granted.getKey(), pair.older().id())))
			.toList();
	}

	private static boolean isExcused(Overlaps.Pair pair, Promise promise) {
		Attempt older = pair.older();
		return switch (promise) {
			case NOTHING_LOST -> older.isLossTold();
			case LOSSES_TOLD -> older.isLossTold() || older.isCutOff();
			case TWO_MASTERS -> true;
			case GRANTS_FORGOTTEN -> older.isLossTold() || older.isCutOff() || isEndUnknown(older)
					|| Handovers.mayEndUnasked(older, pair.newer());
		};
	}

	/**
	 * What a Redis has forgotten cannot be told by a release that did not reach it.
	 */
	private static boolean isEndUnknown(Attempt attempt) {
		return attempt.outcome() == Outcome.PENDING || attempt.outcome() == Outcome.DONE;
	}

}
