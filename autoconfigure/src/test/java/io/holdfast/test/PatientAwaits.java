package io.holdfast.test;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Has all tests wait for longer than a busy machine needs for anything.
 */
public final class PatientAwaits implements BeforeAllCallback {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	@Override
	public void beforeAll(ExtensionContext context) {
		Awaitility.setDefaultTimeout(PATIENCE);
	}

}
