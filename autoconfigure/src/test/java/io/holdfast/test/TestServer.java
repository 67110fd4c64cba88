package io.holdfast.test;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One or more Redis servers that run for as long as a test class does.
 */
public interface TestServer extends BeforeAllCallback, AfterAllCallback, AutoCloseable {

	/**
	 * Start all servers and wait until they are ready.
	 */
	void start();

	/**
	 * End all servers and clean up after them.
	 */
	@Override
	void close();

	@Override
	default void beforeAll(ExtensionContext context) {
		start();
	}

	@Override
	default void afterAll(ExtensionContext context) {
		close();
	}

}
