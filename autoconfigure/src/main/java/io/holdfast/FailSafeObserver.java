package io.holdfast;

import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what an observer throws away from those who use locks.
 *
 * @param observer the observer
 */
record FailSafeObserver(LockSectionObserver observer) implements LockSectionObserver {

	private static final Logger logger = LoggerFactory.getLogger(LockSectionObserver.class);

	/**
	 * Make an observer safe, unless it is.
	 */
	static LockSectionObserver of(LockSectionObserver observer) {
		return (observer != NONE) ? new FailSafeObserver(observer) : observer;
	}

	@Override
	public Function<LockHandle, LockSection> expect(LockRequest request) {
		Function<LockHandle, LockSection> expected = guarded(() -> this.observer.expect(request),
				UnobservedSection::of);
		return (lock) -> new FailSafeSection(guarded(() -> expected.apply(lock), UnobservedSection.INSTANCE));
	}

	private static <T> T guarded(Supplier<T> call, T otherwise) {
		try {
			return call.get();
		}
		catch (Throwable ex) {
			logger.warn("An observer of locked sections threw an exception", ex);
			return otherwise;
		}
	}

	private static void guarded(Runnable call) {
		guarded(() -> {
			call.run();
			return true;
		}, false);
	}

	private record FailSafeSection(LockSection section) implements LockSection {

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

}
