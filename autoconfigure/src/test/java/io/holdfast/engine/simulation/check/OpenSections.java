package io.holdfast.engine.simulation.check;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.holdfast.engine.simulation.load.Section;

/**
 * The sections that callers are in: also those that have lost their lock, or whose caller
 * has died.
 */
final class OpenSections extends Rule {

	private final List<Section> open = new ArrayList<>();

	@Override
	void entered(Section section) {
		this.open.add(section);
	}

	@Override
	void leaving(Section section) {
		this.open.remove(section);
	}

	Stream<Section> all() {
		return this.open.stream();
	}

	/**
	 * Return those of which callers are told that they are held.
	 */
	Stream<Section> held() {
		return this.open.stream().filter((section) -> !section.attempt().instance().isDead()).filter(Section::isHeld);
	}

}
