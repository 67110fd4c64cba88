package io.holdfast.engine.simulation.check;

/**
 * What the engine is to promise, and may not yet.
 */
public enum Promise {

	/**
	 * Whoever asks for a free lock gets it, however short it waits.
	 */
	FREE_MEANS_GRANTED(true),

	/**
	 * A request that is carried out after its caller has given it up changes nothing that
	 * is held.
	 */
	LATE_IS_VOID(true),

	/**
	 * An {@code Error} in any thread loses no renewal, leaks no hold, and ends no
	 * background work for good.
	 */
	ERRORS_DO_NO_HARM(false);

	private final boolean kept;

	Promise(boolean kept) {
		this.kept = kept;
	}

	/**
	 * Return whether the engine keeps it, or is to be tried all the same.
	 */
	public boolean isKept() {
		return this.kept || Boolean.getBoolean("simulation." + name());
	}

}
