package io.holdfast.engine;

/**
 * What every store must do for shared and fair locks, for several keys and for views,
 * seen from two instances.
 */
public abstract class AbstractKindsOfLocksTests extends AbstractTwoInstancesTests
		implements SharedLockTests, FairLockTests, SeveralKeysTests, ManyKeysTests, ViewTests {

}
