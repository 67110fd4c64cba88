package io.holdfast.engine.simulation;

import java.util.Arrays;
import java.util.List;

/**
 * Something that happens to instances or to the server.
 */
enum Fault {

	/** A caller is interrupted. */
	INTERRUPT(false),

	/** An instance stands still for a while, maybe for longer than a lease. */
	STALL(false),

	/** An operator releases a lock by force. */
	FORCED_RELEASE(false),

	/** An instance shuts down, and another one takes its place. */
	SHUTDOWN(false),

	/** An instance dies, and another one takes its place. */
	CRASH(true),

	/** Nothing passes between an instance and the server for a while. */
	CUT_OFF(true),

	/** The server stands still for a while. */
	FREEZE(true),

	/** Subscriptions break. */
	BROKEN_SUBSCRIPTION(true),

	/** The server begins anew without any data. */
	DATA_LOSS(true),

	/** Another server takes over that does not know what has happened last. */
	FAILOVER(true),

	/** The server's clock is set. */
	CLOCK(true);

	private final boolean ofServer;

	Fault(boolean ofServer) {
		this.ofServer = ofServer;
	}

	/**
	 * Return whether it takes a server of its own.
	 */
	boolean isOfServer() {
		return this.ofServer;
	}

	/**
	 * Return all that can happen.
	 * @param direct whether there is no server
	 */
	static List<Fault> all(boolean direct) {
		return Arrays.stream(values()).filter((fault) -> !direct || !fault.ofServer).toList();
	}

}
