package io.holdfast.engine;

/**
 * What every store that can limit the holders of a lock must do.
 */
public abstract class AbstractPermitTests extends AbstractTwoInstancesTests implements PermitTests {

}
