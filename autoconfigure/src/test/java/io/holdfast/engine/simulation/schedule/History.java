package io.holdfast.engine.simulation.schedule;

/**
 * What has happened in an episode, one line for each event: the time in microseconds, who
 * did it, what it was. The same seed leads to the same history.
 */
public final class History {

	private final StringBuilder text = new StringBuilder(1 << 16);

	void add(long nanos, String who, String what) {
		this.text.append(nanos / 1000).append(' ').append(who).append(' ').append(what).append('\n');
	}

	@Override
	public String toString() {
		return this.text.toString();
	}

}
