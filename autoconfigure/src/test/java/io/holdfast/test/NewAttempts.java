package io.holdfast.test;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.opentest4j.TestAbortedException;

/**
 * Begins a test anew when it failed and the machine stood still meanwhile.
 */
final class NewAttempts implements TestTemplateInvocationContextProvider {

	static final int MOST = 5;

	@Override
	public boolean supportsTestTemplate(ExtensionContext context) {
		return true;
	}

	/**
	 * Which attempts there are is only known when those before are over.
	 */
	@Override
	public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
		return Stream.iterate(new Attempt(1), Objects::nonNull, Attempt::next).map((attempt) -> attempt);
	}

	/**
	 * One attempt, which is its own extension.
	 */
	static final class Attempt implements TestTemplateInvocationContext, BeforeEachCallback, AfterEachCallback,
			TestExecutionExceptionHandler, LifecycleMethodExecutionExceptionHandler {

		private final int number;

		private final StallWatch watch = new StallWatch();

		private boolean inVain;

		private Attempt(int number) {
			this.number = number;
		}

		private @Nullable Attempt next() {
			return this.inVain ? new Attempt(this.number + 1) : null;
		}

		StallWatch watch() {
			return this.watch;
		}

		@Override
		public String getDisplayName(int invocationIndex) {
			return "attempt " + this.number;
		}

		@Override
		public List<Extension> getAdditionalExtensions() {
			return List.of(this);
		}

		@Override
		public void beforeEach(ExtensionContext context) {
			this.watch.start();
		}

		@Override
		public void afterEach(ExtensionContext context) {
			this.watch.close();
		}

		@Override
		public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
			throw excused(failure);
		}

		@Override
		public void handleBeforeEachMethodExecutionException(ExtensionContext context, Throwable failure)
				throws Throwable {
			throw excused(failure);
		}

		@Override
		public void handleAfterEachMethodExecutionException(ExtensionContext context, Throwable failure)
				throws Throwable {
			throw excused(failure);
		}

		private Throwable excused(Throwable failure) {
			if (this.number == MOST || !this.watch.hasNoticedAny()) {
				return failure;
			}
			this.inVain = true;
			return new TestAbortedException("The machine stood still for " + this.watch.longest(), failure);
		}

	}

}
