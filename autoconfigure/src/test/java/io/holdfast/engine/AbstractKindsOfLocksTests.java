package io.holdfast.engine;

import org.junit.jupiter.api.BeforeEach;

/**
 * What every store must do for shared and fair locks, for several keys and for views,
 * seen from two instances.
 */
public abstract class AbstractKindsOfLocksTests extends AbstractStoreTests
		implements SharedLockTests, FairLockTests, SeveralKeysTests, ManyKeysTests, ViewTests {

	private TestInstance one;

	private TestInstance two;

	@BeforeEach
	void startInstances() {
		this.one = newInstance();
		this.two = newInstance();
	}

	@Override
	public TestInstance one() {
		return this.one;
	}

	@Override
	public TestInstance two() {
		return this.two;
	}

	@Override
	public String key() {
		return this.key;
	}

	@Override
	public LockStores kept() {
		return stores();
	}

	@Override
	public TestInstance closing(TestInstance instance) {
		return super.closing(instance);
	}

}
