package io.holdfast.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.OnLost;
import org.junit.jupiter.api.AfterEach;

/**
 * Instances that share what is stored, and a key that is new for each test.
 */
public abstract class AbstractStoreTests {

	private static final AtomicInteger keys = new AtomicInteger();

	final String key = "key-" + keys.incrementAndGet();

	private final List<TestInstance> instances = new ArrayList<>();

	/**
	 * Return where locks are kept; the test class has it started.
	 */
	protected abstract LockStores stores();

	TestInstance newInstance() {
		return newInstance(OnLost.THROW);
	}

	TestInstance newInstance(OnLost onLost) {
		return closing(new TestInstance(stores()::open, onLost));
	}

	/**
	 * See that an instance is closed after the test.
	 */
	TestInstance closing(TestInstance instance) {
		this.instances.add(instance);
		return instance;
	}

	@AfterEach
	void closeInstances() {
		this.instances.forEach(TestInstance::close);
	}

}
