package io.holdfast;

import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Calls an observer around another one. Its exceptions reach neither the other one nor
 * callers: the first is logged with its stack trace, later ones are counted.
 */
final class FailSafeObserver implements LockSectionObserver {

	private static final Logger logger = LoggerFactory.getLogger(LockSectionObserver.class);

	private final LockSectionObserver observer;

	private final LockSectionObserver inner;

	private final FailureDigest failures;

	FailSafeObserver(LockSectionObserver observer, LockSectionObserver inner, LongSupplier nanos) {
		this.observer = observer;
		this.inner = inner;
		this.failures = new FailureDigest(logger, Level.WARN, "An observer of locked sections threw an exception",
				"An observer of locked sections threw {} more exceptions, the last: {}", nanos);
	}

	/**
	 * Combine an observer with one that throws no exceptions.
	 */
	static LockSectionObserver around(LockSectionObserver observer, LockSectionObserver inner) {
		if (observer == NONE) {
			return inner;
		}
		boolean safe = inner == NONE && observer instanceof FailSafeObserver;
		return safe ? observer : new FailSafeObserver(observer, inner, System::nanoTime);
	}

	@Override
	public Function<LockHandle, LockSection> expect(LockRequest request) {
		Function<LockHandle, LockSection> own = guarded(() -> this.observer.expect(request), NONE.expect(request));
		Function<LockHandle, LockSection> others = this.inner.expect(request);
		return (lock) -> section(guarded(() -> own.apply(lock), UnobservedSection.INSTANCE), others.apply(lock));
	}

	/**
	 * An observer may return {@code null}, although its return type excludes that.
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

	private LockSection section(LockSection own, LockSection others) {
		return new LockSection() {

			@Override
			public Scope open() {
				Scope scope = guarded(own::open, UnobservedSection.INSTANCE);
				Scope ofOthers = others.open();
				return () -> {
					ofOthers.close();
					guarded(scope::close);
				};
			}

			@Override
			public void end(@Nullable ReleaseResult result, @Nullable Throwable failure) {
				others.end(result, failure);
				guarded(() -> own.end(result, failure));
			}

		};
	}

}
