package io.holdfast.engine.simulation;

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
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.LockStore;
import io.holdfast.engine.SimulatedEngine;
import org.jspecify.annotations.Nullable;

/**
 * An application, as far as it uses locks.
 */
final class Instance {

	private final Scheduler scheduler;

	private final Host host;

	private final EngineSettings settings;

	private final Checker checker;

	private final HoldfastLockRegistry registry;

	private final List<Thread> callers = new ArrayList<>();

	private final List<Thread> working = new ArrayList<>();

	private final Set<Thread> interrupted = new HashSet<>();

	private boolean stopping;

	private @Nullable Duration graceFromInside;

	private @Nullable String stoppedBy;

	/**
	 * Create an instance.
	 * @param poll longest time between two attempts of a waiter
	 */
	Instance(Scheduler scheduler, Host host, LockStore store, EngineSettings settings, Duration poll, Checker checker) {
		this.scheduler = scheduler;
		this.host = host;
		this.settings = settings;
		this.checker = checker;
		LockListener listener = new LockListener() {

			@Override
			public void onLost(LockSnapshot lock, Throwable cause) {
				checker.lost(Instance.this, lock, cause);
			}

		};
		this.registry = SimulatedEngine.registry(store, settings, () -> List.of(listener),
				new SimRuntime(scheduler, host), poll);
	}

	Duration lease(LockRequest request) {
		return (request.lease() != null) ? request.lease() : this.settings.lease();
	}

	Duration handoverCheck() {
		return this.settings.handoverCheck();
	}

	Scheduler scheduler() {
		return this.scheduler;
	}

	Checker checker() {
		return this.checker;
	}

	Host host() {
		return this.host;
	}

	HoldfastLockRegistry registry() {
		return this.registry;
	}

	void call(int callers, Supplier<Caller> caller) {
		for (int i = 0; i < callers; i++) {
			this.callers.add(start("caller", caller.get()));
		}
	}

	Thread start(String name, Runnable task) {
		Thread thread = this.scheduler.newThread(this.host, name, task);
		this.working.add(thread);
		thread.start();
		return thread;
	}

	List<Thread> callers() {
		return this.callers.stream().filter(Thread::isAlive).toList();
	}

	List<Thread> working() {
		this.working.removeIf((thread) -> !thread.isAlive());
		return this.working;
	}

	void interrupt(Thread caller) {
		this.interrupted.add(caller);
		caller.interrupt();
	}

	boolean isInterrupted(Thread thread) {
		return this.settings.onLost() == OnLost.INTERRUPT || this.interrupted.contains(thread);
	}

	void stop(Duration grace) {
		this.stopping = true;
		start("shutdown", () -> end(grace));
	}

	void stopFromInside(Duration grace) {
		this.graceFromInside = grace;
	}

	void maybeStop() {
		Duration grace = this.graceFromInside;
		if (grace != null && !this.stopping) {
			this.stopping = true;
			this.stoppedBy = ownerOfThread();
			end(grace);
		}
	}

	private void end(Duration grace) {
		this.registry.limitWaits(grace.dividedBy(2));
		this.scheduler.sleepFor(grace.toNanos() / 2);
		long begin = this.scheduler.now();
		this.registry.stop(grace);
		this.checker.stopped(this, this.scheduler.now() - begin - grace.toNanos());
	}

	boolean mayLoseByStop(String owner) {
		return this.stopping && !isStoppedBy(owner);
	}

	boolean isStoppedBy(String owner) {
		return owner.equals(this.stoppedBy);
	}

	boolean isStopping() {
		return this.stopping;
	}

	boolean isDead() {
		return this.host.isDead();
	}

	@SuppressWarnings("deprecation")
	String ownerOfThread() {
		return this + ":" + Thread.currentThread().getId();
	}

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
