package io.holdfast.engine;

import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * Tells BlockHound, where an application uses it, what is no blocking call: threads that
 * must not block take locks that are held briefly and never while the store is asked, and
 * hand tasks to executors, which lock their queues.
 *
 * @since 0.1.0
 */
public final class HoldfastBlockHoundIntegration implements BlockHoundIntegration {

	@Override
	public void applyTo(BlockHound.Builder builder) {
		builder.allowBlockingCallsInside(SystemRuntime.SpinningLock.class.getName(), "lock")
			.allowBlockingCallsInside(Background.class.getName(), "execute")
			.allowBlockingCallsInside(Background.class.getName(), "schedule")
			.allowBlockingCallsInside(Background.class.getName(), "cancel");
	}

}
