package io.holdfast;

import java.time.Duration;
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

	/**
	 * How often what was counted is told, at most.
	 */
	private static final long INTERVAL = Duration.ofMinutes(1).toNanos();

	private final LockSectionObserver observer;

	private final LongSupplier nanos;

	private boolean told;

	private long toldAt;

	private long untold;

	FailSafeObserver(LockSectionObserver observer, LongSupplier nanos) {
		this.observer = observer;
		this.nanos = nanos;
	}

	/**
	 * Make an observer safe, unless it is.
	 */
	static LockSectionObserver of(LockSectionObserver observer) {
		boolean safe = observer == NONE || observer instanceof FailSafeObserver || observer instanceof ObserverGroup;
		return safe ? observer : new FailSafeObserver(observer, System::nanoTime);
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
			failed(ex);
			return otherwise;
		}
	}

	private void guarded(Runnable call) {
		guarded(() -> {
			call.run();
			return true;
		}, false);
	}

	private synchronized void failed(Throwable failure) {
		long now = this.nanos.getAsLong();
		if (!this.told) {
			logger.warn("An observer of locked sections threw an exception", failure);
			tell(now);
			return;
		}
		this.untold++;
		logger.debug("An observer of locked sections threw an exception again", failure);
		if (now - this.toldAt >= INTERVAL) {
			logger.warn("An observer of locked sections threw {} more exceptions, the last: {}", this.untold,
					LogText.of(failure));
			tell(now);
		}
	}

	private void tell(long now) {
		this.told = true;
		this.toldAt = now;
		this.untold = 0;
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

}
