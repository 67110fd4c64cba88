package io.holdfast.engine;

import org.junit.jupiter.api.BeforeEach;

/**
 * Two instances for each test of kinds of locks.
 */
public abstract class AbstractTwoInstancesTests extends AbstractStoreTests implements LockFamily {

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
