package io.holdfast.engine.simulation;

/**
 * Something that happens to instances or to the server.
 */
enum Fault {

	/** A caller is interrupted. */
	INTERRUPT,

	/** An instance stands still for a while, maybe for longer than a lease. */
	STALL,

	/** An operator releases a lock by force. */
	FORCED_RELEASE,

	/** An instance shuts down, and another one takes its place. */
	SHUTDOWN,

	/** An instance dies, and another one takes its place. */
	CRASH,

	/** Nothing passes between an instance and the server for a while. */
	CUT_OFF,

	/** The server stands still for a while. */
	FREEZE,

	/** Subscriptions break. */
	BROKEN_SUBSCRIPTION,

	/** The server begins anew without any data. */
	DATA_LOSS,

	/** Another server takes over that does not know what has happened last. */
	FAILOVER,

	/** The server's clock is set. */
	CLOCK;

	boolean isOfServer() {
		return compareTo(CRASH) >= 0;
	}

}
