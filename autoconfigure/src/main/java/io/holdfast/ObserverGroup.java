package io.holdfast;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Several observers, one around the other. What one of them throws does not keep the
 * others from seeing a section.
 *
 * @param observers the observers, the outermost first
 */
record ObserverGroup(List<LockSectionObserver> observers) implements LockSectionObserver {

	static LockSectionObserver of(List<? extends LockSectionObserver> observers) {
		List<LockSectionObserver> safe = observers.stream()
			.map(FailSafeObserver::of)
			.filter((observer) -> observer != NONE)
			.toList();
		return switch (safe.size()) {
			case 0 -> NONE;
			case 1 -> safe.get(0);
			default -> new ObserverGroup(safe);
		};
	}

	@Override
	public Function<LockHandle, LockSection> expect(LockRequest request) {
		List<Function<LockHandle, LockSection>> expected = this.observers.stream()
			.map((observer) -> observer.expect(request))
			.toList();
		return (lock) -> new Sections(expected.stream().map((expectation) -> expectation.apply(lock)).toList());
	}

	private static <T> List<T> reversed(List<T> list) {
		List<T> reversed = new ArrayList<>(list);
		Collections.reverse(reversed);
		return reversed;
	}

	/**
	 * What each observer made of a section.
	 */
	private record Sections(List<LockSection> sections) implements LockSection {

		@Override
		public Scope open() {
			List<Scope> scopes = this.sections.stream().map(LockSection::open).toList();
			return () -> reversed(scopes).forEach(Scope::close);
		}

		@Override
		public void end(@Nullable ReleaseResult result, @Nullable Throwable failure) {
			reversed(this.sections).forEach((section) -> section.end(result, failure));
		}

	}

}
