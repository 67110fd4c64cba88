package io.holdfast.engine.simulation.check;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.holdfast.engine.simulation.load.Attempt;
import io.holdfast.engine.simulation.load.Section;
import org.jspecify.annotations.Nullable;

/**
 * The sections that callers are in, and who asks for one: also those that have lost their
 * lock, or whose caller has died.
 */
final class OpenSections extends Rule {

	private final List<Section> open = new ArrayList<>();

	private final Set<Attempt> asking = new LinkedHashSet<>();

	@Override
	void asked(Attempt attempt) {
		this.asking.add(attempt);
	}

	@Override
	void refused(Attempt attempt, @Nullable Throwable failure) {
		this.asking.remove(attempt);
	}

	@Override
	void entered(Section section) {
		this.asking.remove(section.attempt());
		this.open.add(section);
	}

	@Override
	void leaving(Section section) {
		this.open.remove(section);
	}

	Stream<Attempt> asking() {
		return this.asking.stream();
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
