package io.holdfast;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what an observer throws away from those who use locks. It is logged with its
 * stack trace once, and counted from then on: an observer that is broken may throw at
 * every section.
 */
final class FailSafeObserver implements LockSectionObserver {

	private static final Logger logger = LoggerFactory.getLogger(LockSectionObserver.class);

	private final LockSectionObserver observer;

	private final FailureDigest failures;

	FailSafeObserver(LockSectionObserver observer, LongSupplier nanos) {
		this.observer = observer;
		this.failures = new FailureDigest(
				(failure) -> logger.warn("An observer of locked sections threw an exception", failure),
				(failure) -> logger.debug("An observer of locked sections threw an exception again", failure),
				FailSafeObserver::tell, nanos);
	}

	private static void tell(Throwable last, long count) {
		logger.warn("An observer of locked sections threw {} more exceptions, the last: {}", count, LogText.of(last));
	}

	/**
	 * Make an observer safe, unless it is.
	 */
	static LockSectionObserver of(LockSectionObserver observer) {
		boolean safe = observer == NONE || observer instanceof FailSafeObserver || observer instanceof Group;
		return safe ? observer : new FailSafeObserver(observer, System::nanoTime);
	}

	/**
	 * Make one safe observer of several, the outermost of which comes first.
	 */
	static LockSectionObserver allOf(List<? extends LockSectionObserver> observers) {
		List<LockSectionObserver> safe = observers.stream()
			.map(FailSafeObserver::of)
			.filter((observer) -> observer != NONE)
			.toList();
		return switch (safe.size()) {
			case 0 -> NONE;
			case 1 -> safe.get(0);
			default -> new Group(safe);
		};
	}

	@Override
	public Function<LockHandle, LockSection> expect(LockRequest request) {
		Function<LockHandle, LockSection> expected = guarded(() -> this.observer.expect(request),
				UnobservedSection::of);
		return (lock) -> new FailSafeSection(guarded(() -> expected.apply(lock), UnobservedSection.INSTANCE));
	}

	/**
	 * An observer may return nothing as well, whatever is said to the compiler.
	 */
	private <T> T guarded(Supplier<T> call, T otherwise) {
		try {
			return Objects.requireNonNull(call.get(), "An observer must not return null");
		}
		catch (Throwable ex) {
			this.failures.note(ex);
			return otherwise;
		}
	}

	private void guarded(Runnable call) {
		guarded(() -> {
			call.run();
			return true;
		}, false);
	}

	/**
	 * A section whose observer may throw.
	 */
	private final class FailSafeSection implements LockSection {

		private final LockSection section;

		FailSafeSection(LockSection section) {
			this.section = section;
		}

		@Override
		public Scope open() {
			Scope scope = guarded(this.section::open, UnobservedSection.INSTANCE);
			return () -> guarded(scope::close);
		}

		@Override
		public void end(@Nullable ReleaseResult result, @Nullable Throwable failure) {
			guarded(() -> this.section.end(result, failure));
		}

	}

	/**
	 * Several observers, one around the other. What one of them throws does not keep the
	 * others from seeing a section.
	 *
	 * @param observers the observers, the outermost first
	 */
	private record Group(List<LockSectionObserver> observers) implements LockSectionObserver {

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

}
