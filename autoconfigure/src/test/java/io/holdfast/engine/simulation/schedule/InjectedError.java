package io.holdfast.engine.simulation.schedule;

/**
 * What a JVM may throw anywhere when it has too little memory.
 */
public final class InjectedError extends OutOfMemoryError {

	private static final long serialVersionUID = 1L;

	public InjectedError() {
		super("Injected");
	}

}
