package io.holdfast.engine.simulation.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import io.holdfast.LockListener;
import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.OnLost;
import io.holdfast.engine.EngineRuntime;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.LockStore;
import io.holdfast.engine.SimulatedEngine;
import io.holdfast.engine.simulation.schedule.Host;
import io.holdfast.engine.simulation.schedule.InjectedError;
import io.holdfast.engine.simulation.schedule.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * An application, as far as it uses locks.
 */
public final class Instance {

	private final Scheduler scheduler;

	private final Host host;

	private final EngineSettings settings;

	private final Observer observer;

	private final HoldfastLockRegistry registry;

	private final List<Thread> callers = new ArrayList<>();

	private final List<Thread> working = new ArrayList<>();

	private final Set<Thread> interrupted = new HashSet<>();

	private boolean stopping;

	private boolean stopped;

	private @Nullable Duration graceFromInside;

	private @Nullable String stoppedBy;

	/**
	 * Create an instance.
	 * @param poll longest time between two attempts of a waiter
	 */
	public Instance(Scheduler scheduler, Host host, LockStore store, EngineSettings settings, EngineRuntime runtime,
			Duration poll, Observer observer) {
		this.scheduler = scheduler;
		this.host = host;
		this.settings = settings;
		this.observer = observer;
		LockListener listener = new LockListener() {

			@Override
			public void onLost(LockSnapshot lock, Throwable cause) {
				observer.lost(Instance.this, lock, cause);
			}

		};
		this.registry = SimulatedEngine.registry(store, settings, () -> List.of(listener), runtime, poll);
	}

	/**
	 * Return for how long the lock is granted that a request asks for.
	 */
	public Duration lease(LockRequest request) {
		return (request.lease() != null) ? request.lease() : this.settings.lease();
	}

	/**
	 * Return for how long a lock passes in memory at most.
	 */
	public Duration handoverCheck() {
		return this.settings.handoverCheck();
	}

	public Host host() {
		return this.host;
	}

	public HoldfastLockRegistry registry() {
		return this.registry;
	}

	/**
	 * Let callers begin.
	 */
	public void call(int callers, Supplier<Caller> caller) {
		for (int i = 0; i < callers; i++) {
			this.callers.add(start("caller", caller.get()));
		}
	}

	/**
	 * Let a thread do something there.
	 */
	public Thread start(String name, Runnable task) {
		Thread thread = this.scheduler.newThread(this.host, name, task);
		this.working.add(thread);
		thread.start();
		return thread;
	}

	/**
	 * Return the callers that have not ended.
	 */
	public List<Thread> callers() {
		return this.callers.stream().filter(Thread::isAlive).toList();
	}

	/**
	 * Return the threads that still use locks.
	 */
	public List<Thread> working() {
		this.working.removeIf((thread) -> !thread.isAlive());
		return this.working;
	}

	/**
	 * Interrupt a caller.
	 */
	public void interrupt(Thread caller) {
		this.interrupted.add(caller);
		caller.interrupt();
	}

	/**
	 * Return whether a thread may have been interrupted.
	 */
	public boolean isInterrupted(Thread thread) {
		return this.settings.onLost() == OnLost.INTERRUPT || this.interrupted.contains(thread);
	}

	/**
	 * Stop the registry, and close it if that fails, as a context does.
	 */
	private void stopRegistry(Duration grace) {
		try {
			this.registry.stop(grace);
		}
		catch (InjectedError ex) {
			stopRegistry(Duration.ZERO);
		}
	}

	/**
	 * Shut the application down.
	 */
	public void stop(Duration grace) {
		this.stopping = true;
		start("shutdown", () -> end(grace));
	}

	/**
	 * Have a caller shut the application down, in the next section that one is in.
	 */
	public void stopFromInside(Duration grace) {
		this.graceFromInside = grace;
	}

	/**
	 * Shut the application down if it is to be by a caller.
	 */
	@SuppressWarnings("deprecation")
	void maybeStop() {
		Duration grace = this.graceFromInside;
		if (grace != null && !this.stopping) {
			this.stopping = true;
			this.stoppedBy = this + ":" + Thread.currentThread().getId();
			end(grace);
		}
	}

	private void end(Duration grace) {
		this.registry.limitWaits(grace.dividedBy(2));
		this.scheduler.sleepFor(grace.toNanos() / 2);
		long begin = this.scheduler.now();
		stopRegistry(grace);
		this.observer.stopped(this, this.scheduler.now() - begin - grace.toNanos());
		this.stopped = true;
	}

	/**
	 * Return whether a shutdown takes away what an owner holds, and tells it so.
	 */
	public boolean mayLoseByStop(String owner) {
		return this.stopping && !isStoppedBy(owner);
	}

	/**
	 * Return whether an owner shuts it down from inside, and so releases what it holds.
	 */
	public boolean isStoppedBy(String owner) {
		return owner.equals(this.stoppedBy);
	}

	public boolean isStopping() {
		return this.stopping;
	}

	public boolean isStopped() {
		return this.stopped;
	}

	/**
	 * Return whether nothing runs there any more.
	 */
	public boolean isDead() {
		return this.host.isDead();
	}

	/**
	 * Return whether an owner holds a key, as operators of the instance see it.
	 */
	boolean holds(String owner, String key, LockMode mode) {
		return this.registry.held()
			.stream()
			.anyMatch((lock) -> lock.owner().equals(owner) && lock.keys().contains(key) && isAsGood(lock.mode(), mode)
					&& lock.holdCount() > 0 && !lock.remainingLease().isZero());
	}

	private static boolean isAsGood(LockMode held, LockMode wanted) {
		return held == LockMode.EXCLUSIVE || wanted == LockMode.SHARED;
	}

	@Override
	public String toString() {
		return this.host.name();
	}

}
