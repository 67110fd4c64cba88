package io.holdfast.test;

import java.util.List;

import io.holdfast.LockRegistry;
import io.holdfast.LockTemplate;
import io.holdfast.autoconfigure.HoldfastProperties;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.local.LocalLockStore;
import io.holdfast.local.LocalLocks;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.util.Assert;

/**
 * Locks in memory for a unit test without an application context: a {@link LockTemplate}
 * and a {@link LockRegistry} for the object under test, and locks for code that calls
 * {@link io.holdfast.LockAssert}. Objects of this class do not share locks.
 *
 * @since 0.1.0
 */
public final class TestLocks implements AutoCloseable {

	private final HoldfastLockRegistry registry;

	private final LockTemplate template;

	private final LockCheck check;

	/**
	 * Create locks.
	 * @param properties what differs from the defaults, such as
	 * {@code "holdfast.wait-for=0"}; nothing else is read, such as environment variables
	 * @throws IllegalArgumentException when a property does not begin with
	 * {@code holdfast.}
	 * @throws BindException when there is no such property, or it cannot have that value
	 */
	public TestLocks(String... properties) {
		HoldfastProperties configured = bind(properties);
		AcquisitionPlaces places = new AcquisitionPlaces();
		this.registry = new HoldfastLockRegistry(new LocalLockStore(new LocalLocks()),
				configured.toEngineSettings("test"), List::of, places);
		this.template = new LockTemplate(this.registry, configured.onLost(), configured.releaseAfterTransaction());
		this.check = new LockCheck(this.registry.operations(), places);
	}

	private static HoldfastProperties bind(String... properties) {
		for (String property : properties) {
			Assert.isTrue(property.startsWith("holdfast."),
					() -> "'%s' is no property of Holdfast".formatted(property));
		}
		MockEnvironment environment = new MockEnvironment();
		TestPropertyValues.of(properties).applyTo(environment);
		return Binder.get(environment, new NoUnboundElementsBindHandler(BindHandler.DEFAULT))
			.bindOrCreate("holdfast", HoldfastProperties.class);
	}

	/**
	 * Run code while the current thread holds a lock, so that
	 * {@link io.holdfast.LockAssert#assertHeld} passes.
	 * @param key the key as the code checks it, with the lock's name in front when it has
	 * one: {@code name:key}
	 * @param code the code to run
	 */
	public static void whileHeld(String key, Runnable code) {
		Assert.notNull(code, "'code' must not be null");
		try (TestLocks locks = new TestLocks()) {
			locks.template().executeWithoutResult(key, (lock) -> code.run());
		}
	}

	/**
	 * Return a template for these locks.
	 * @return the template
	 */
	public LockTemplate template() {
		return this.template;
	}

	/**
	 * Return the registry of these locks.
	 * @return the registry
	 */
	public LockRegistry registry() {
		return this.registry;
	}

	/**
	 * End the use of these locks. JUnit does that for a field with {@code @AutoClose}.
	 * @throws AssertionError when a lock is still held
	 */
	@Override
	public void close() {
		List<String> leaked = this.check.releaseLeaked();
		this.registry.close();
		if (!leaked.isEmpty()) {
			throw LockCheck.failure(leaked);
		}
	}

}
