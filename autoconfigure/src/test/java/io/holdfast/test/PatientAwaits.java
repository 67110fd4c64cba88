package io.holdfast.test;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.awaitility.pollinterval.IterativePollInterval;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Has all tests wait for longer than a busy machine needs for anything, and look soon
 * whether they need to.
 */
public final class PatientAwaits implements BeforeAllCallback {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final Duration FIRST_LOOK = Duration.ofMillis(10);

	private static final Duration LOOKS = Duration.ofMillis(100);

	@Override
	public void beforeAll(ExtensionContext context) {
		Awaitility.setDefaultTimeout(PATIENCE);
		Awaitility.setDefaultPollInterval(IterativePollInterval.iterative(PatientAwaits::longer, FIRST_LOOK));
	}

	private static Duration longer(Duration pause) {
		Duration twice = pause.multipliedBy(2);
		return (twice.compareTo(LOOKS) < 0) ? twice : LOOKS;
	}

}
