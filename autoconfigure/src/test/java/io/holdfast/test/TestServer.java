package io.holdfast.test;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;

/**
 * One or more Redis servers that run for as long as a test class does.
 */
public interface TestServer extends BeforeAllCallback, AutoCloseable {

	void start();

	@Override
	void close();

	/**
	 * Start, unless it has been done for an enclosing class. Closed at the end of the
	 * class that has this, together with what JUnit keeps for it.
	 */
	@Override
	default void beforeAll(ExtensionContext context) {
		Store started = context.getStore(Namespace.create(TestServer.class));
		if (started.get(this) == null) {
			started.put(this, this);
			start();
		}
	}

}
