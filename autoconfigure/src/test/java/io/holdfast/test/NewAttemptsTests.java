package io.holdfast.test;

import java.time.Duration;
import java.util.Iterator;

import io.holdfast.test.NewAttempts.Attempt;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.opentest4j.TestAbortedException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * When tests are begun anew.
 */
@Tag("any-jdk")
class NewAttemptsTests {

	private final IllegalStateException failure = new IllegalStateException("failed");

	private ExtensionContext context;

	private Iterator<TestTemplateInvocationContext> attempts;

	@RegisterExtension
	final BeforeEachCallback preparation = (context) -> {
		this.context = context;
		this.attempts = new NewAttempts().provideTestTemplateInvocationContexts(context).iterator();
	};

	private Attempt next() {
		return (Attempt) this.attempts.next();
	}

	@Test
	void successIsTheEnd() {
		next().watch().note(Duration.ofSeconds(1));
		assertThat(this.attempts.hasNext()).isFalse();
	}

	@Test
	void failureIsTheEndWhenTheMachineWentOn() {
		Attempt attempt = next();
		attempt.watch().note(Duration.ofMillis(50));
		assertThatThrownBy(() -> attempt.handleTestExecutionException(this.context, this.failure))
			.isSameAs(this.failure);
		assertThat(this.attempts.hasNext()).isFalse();
	}

	@Test
	void failureIsTriedAgainWhenTheMachineStoodStillAndNotForEver() {
		for (int i = 1; i < NewAttempts.MOST; i++) {
			Attempt attempt = next();
			attempt.watch().note(Duration.ofSeconds(1));
			assertThatExceptionOfType(TestAbortedException.class)
				.isThrownBy(() -> attempt.handleTestExecutionException(this.context, this.failure))
				.withCause(this.failure);
		}
		Attempt last = next();
		last.watch().note(Duration.ofSeconds(1));
		assertThatThrownBy(() -> last.handleTestExecutionException(this.context, this.failure)).isSameAs(this.failure);
		assertThat(this.attempts.hasNext()).isFalse();
	}

}
