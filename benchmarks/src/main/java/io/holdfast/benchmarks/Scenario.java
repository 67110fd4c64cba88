package io.holdfast.benchmarks;

import java.time.Duration;

/**
 * A situation in which the contenders are compared.
 */
enum Scenario {

	/**
	 * Each thread acquires and releases a key of its own, over and over.
	 */
	A1("own key, 1 thread", 1, 1),

	A16("own key per thread, 16 threads", 1, 16),

	/**
	 * All threads acquire and release the same key, over and over.
	 */
	B16("one key, 16 threads in one JVM", 1, 16),

	B128("one key, 128 threads in one JVM", 1, 128),

	C("one key, 4 JVMs of 4 threads", 4, 4),

	C1("the same, sections of 1 ms", 4, 4),

	/**
	 * Each holds the key for longer than it pauses afterwards, so that the other one
	 * waits for most releases. Timed is what it takes from the release to the
	 * acquisition.
	 */
	D("hand-over between two JVMs", 2, 1),

	/**
	 * Many locks are held and renewed, and nothing else is done. An operation is one of
	 * them for a second.
	 */
	E("10,000 held locks", 1, 0),

	/**
	 * The first acquisition and release in a JVM that has just started.
	 */
	FIRST("first lock", 1, 1),

	/**
	 * An application that has all dependencies of the sample and locks nothing, with the
	 * jars of Holdfast and without. An operation is a start.
	 */
	START("start of an application", 1, 0);

	static final int HELD = 10_000;

	private final String title;

	private final int jvms;

	private final int threads;

	Scenario(String title, int jvms, int threads) {
		this.title = title;
		this.jvms = jvms;
		this.threads = threads;
	}

	String title() {
		return this.title;
	}

	int jvms() {
		return this.jvms;
	}

	int threads() {
		return this.threads;
	}

	boolean isOnOneKey() {
		return this == B16 || this == B128 || this == C || this == C1 || this == D;
	}

	/**
	 * What happens once in a JVM cannot be warmed up.
	 */
	boolean isOnce() {
		return this == FIRST || this == START;
	}

	Duration section() {
		return Duration.ofMillis((this == D) ? 2 : (this == C1) ? 1 : 0);
	}

	boolean suits(Contender contender) {
		return switch (this) {
			case E -> contender != Contender.BARE && !contender.isInDatabase();
			case START -> contender == Contender.BARE || contender == Contender.HOLDFAST_JEDIS;
			default -> true;
		};
	}

}
