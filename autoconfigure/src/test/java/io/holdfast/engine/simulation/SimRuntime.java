package io.holdfast.engine.simulation;

import java.util.concurrent.locks.Lock;

import io.holdfast.engine.EngineRuntime;
import io.holdfast.engine.EngineTimer;
import org.jspecify.annotations.Nullable;

/**
 * Time and threads of one host.
 */
final class SimRuntime implements EngineRuntime {

	private final Scheduler scheduler;

	private final Host host;

	SimRuntime(Scheduler scheduler, Host host) {
		this.scheduler = scheduler;
		this.host = host;
	}

	@Override
	public long nanos() {
		this.scheduler.pass();
		return this.host.clock(this.scheduler.now());
	}

	@Override
	public void park(Object blocker, long nanos) {
		this.scheduler.park(this.host.realTime(nanos));
	}

	@Override
	public void unpark(@Nullable Thread thread) {
		this.scheduler.unpark(thread);
	}

	@Override
	public Lock newLock() {
		return new SimLock(this.scheduler);
	}

	@Override
	public EngineTimer newTimer(String name, int threads) {
		return newExecutor(name, threads);
	}

	@Override
	public EngineTimer newExecutor(String name, int threads) {
		return new SimExecutor(this.scheduler, this.host, name.replace("holdfast-", ""), threads);
	}

	@Override
	public void endIdleThreads() {
		// They stay until the end of the episode
	}

}
