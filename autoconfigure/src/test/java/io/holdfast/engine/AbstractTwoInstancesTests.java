package io.holdfast.engine;

/**
 * Two instances for each test of kinds of locks.
 */
public abstract class AbstractTwoInstancesTests extends AbstractStoreTests implements LockFamily {

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
