package io.holdfast.engine;

/**
 * What every store must do for all kinds of locks, however they are waited for, and for
 * locks that are kept.
 */
public abstract class AbstractLockFamilyTests extends AbstractKindsOfLocksTests
		implements WaitingTests, MinHoldTests, AsyncTests, PermitTests {

}
