package io.holdfast.engine.simulation.schedule;

import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.locks.Lock;

import io.holdfast.concurrent.EngineRuntime;
import org.jspecify.annotations.Nullable;

/**
 * Time and threads of one host.
 */
public final class SimRuntime implements EngineRuntime {

	private final Scheduler scheduler;

	private final Host host;

	private final Runnable atSeams;

	/**
	 * Create a runtime.
	 * @param atSeams what happens besides when code comes to a seam: may throw an error
	 */
	public SimRuntime(Scheduler scheduler, Host host, Runnable atSeams) {
		this.scheduler = scheduler;
		this.host = host;
		this.atSeams = atSeams;
	}

	@Override
	public long nanos() {
		comeToSeam();
		this.scheduler.pass();
		return this.host.clock(this.scheduler.now());
	}

	private void comeToSeam() {
		if (!this.scheduler.isInStep()) {
			this.atSeams.run();
		}
	}

	@Override
	public void park(Object blocker, long nanos) {
		comeToSeam();
		this.scheduler.park(this.host.realTime(nanos));
	}

	@Override
	public void unpark(@Nullable Thread thread) {
		this.scheduler.unpark(thread);
	}

	@Override
	public void yield() {
		park(this, 10_000);
	}

	@Override
	public Lock newLock() {
		comeToSeam();
		return new SimLock(this.scheduler);
	}

	@Override
	public Thread newThread(String name, Runnable task) {
		comeToSeam();
		return this.scheduler.newThread(this.host, name.replace("holdfast-", ""), task);
	}

	@Override
	public ScheduledExecutorService newExecutor(String name, int threads) {
		return new SimExecutor(this.scheduler, this.host, name.replace("holdfast-", ""), threads, this::comeToSeam);
	}

	@Override
	public Executor newUnlimitedExecutor(String name) {
		return newExecutor(name, Integer.MAX_VALUE);
	}

}
