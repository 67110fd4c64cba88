package io.holdfast.faults.check;

import java.util.List;

import io.holdfast.faults.history.Attempt.Section;
import io.holdfast.faults.history.History;

/**
 * Nobody is told that it holds a lock that another has already got, unless Redis has
 * forgotten it.
 */
final class HeldByOne implements Rule {

	private final Overlaps overlaps = new Overlaps(Section::heldUntil);

	@Override
	public List<String> violations(History history, Promise promise) {
		if (promise.compareTo(Promise.GRANTS_FORGOTTEN) >= 0) {
			return List.of();
		}
		return history.granted()
			.entrySet()
			.stream()
			.flatMap((granted) -> this.overlaps.find(granted.getKey(), granted.getValue())
				.stream()
				.map((pair) -> "%s and %s were both told that they hold '%s'".formatted(pair.older().id(),
						pair.newer().id(), granted.getKey())))
			.toList();
	}

}
