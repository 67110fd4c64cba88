package io.holdfast.engine.simulation.load;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;

import io.holdfast.LockException;
import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.EngineListener.HeldLock;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.simulation.load.Caller.Entered;
import io.holdfast.engine.simulation.schedule.Chance;
import io.holdfast.engine.simulation.schedule.InjectedError;
import io.holdfast.engine.simulation.schedule.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Acquires and releases locks in any of the ways that there are, and has them observed.
 */
final class Sections {

	private final Scheduler scheduler;

	private final Instance instance;

	private final Chance chance;

	private final Kinds kinds;

	private final Observer observer;

	Sections(Scheduler scheduler, Instance instance, Chance chance, Kinds kinds, Observer observer) {
		this.scheduler = scheduler;
		this.instance = instance;
		this.chance = chance;
		this.kinds = kinds;
		this.observer = observer;
	}

	private HoldfastLockRegistry registry() {
		return this.instance.registry();
	}

	/**
	 * Acquire a lock.
	 * @param around the sections that the thread is in
	 * @return the section, or {@code null} if the lock was not acquired
	 */
	@Nullable Entered enter(LockRequest request, List<Section> around) {
		return enter(request, around, this.chance.percent(this.kinds.asynchronous()),
				this.chance.percent(this.kinds.byView()));
	}

	/**
	 * Acquire a lock that the current thread owns.
	 */
	void enterForGood(LockRequest request) {
		enter(request, List.of(), false, false);
	}

	private @Nullable Entered enter(LockRequest request, List<Section> around, boolean asynchronous, boolean byView) {
		LockRequest asked = asynchronous ? request.ownedByHandle() : request;
		Attempt attempt = new Attempt(this.instance, asked, nanos(asked), around, this.scheduler.now());
		this.scheduler.note("asks for " + attempt);
		this.observer.asked(attempt);
		Lock view = byView ? view(asked) : null;
		Entered entered = null;
		Throwable failure = null;
		try {
			if (view != null) {
				entered = tryLock(view, attempt) ? byView(view, attempt) : null;
			}
			else {
				entered = (asynchronous ? acquireAsync(attempt) : registry().tryAcquire(asked))
					.map((handle) -> byHandle(handle, attempt))
					.orElse(null);
			}
		}
		catch (LockException | InterruptedException | InjectedError ex) {
			failure = ex;
		}
		if (entered == null) {
			this.scheduler.note("has not got " + attempt + ((failure != null) ? ": " + failure : ""));
			this.observer.refused(attempt, failure);
			return null;
		}
		this.scheduler.note("has " + entered.section());
		this.observer.entered(entered.section());
		return entered;
	}

	private static long nanos(LockRequest request) {
		Duration waitFor = request.waitFor();
		return (waitFor == null || waitFor.isNegative()) ? -1 : waitFor.toNanos();
	}

	/**
	 * Return the view of what is asked for, or {@code null} when there is none.
	 */
	private @Nullable Lock view(LockRequest request) {
		boolean odd = request.handleBound() || request.minHold() != null || request.maxHold() != null
				|| request.autoRenew() != null || request.lease() != null;
		boolean fair = Boolean.TRUE.equals(request.ordered());
		if (odd || request.permits() > 0 || (fair && request.mode() == LockMode.SHARED)) {
			return null;
		}
		String key = request.keys().get(0);
		if (request.keys().size() > 1) {
			return (request.mode() == LockMode.SHARED) ? null
					: registry().multiLock(request.keys().toArray(String[]::new));
		}
		if (request.mode() == LockMode.SHARED) {
			return registry().readWriteLock(key).readLock();
		}
		return fair ? registry().fairLock(key) : registry().lock(key);
	}

	private boolean tryLock(Lock view, Attempt attempt) throws InterruptedException {
		if (attempt.waitFor() == 0) {
			return view.tryLock();
		}
		if (attempt.waitFor() > 0) {
			return view.tryLock(attempt.waitFor(), TimeUnit.NANOSECONDS);
		}
		if (this.chance.oneIn(2)) {
			view.lockInterruptibly();
		}
		else {
			view.lock();
		}
		return true;
	}

	private Optional<LockHandle> acquireAsync(Attempt attempt) {
		CompletableFuture<LockHandle> future = registry().acquireAsync(attempt.request());
		Thread me = Thread.currentThread();
		future.whenComplete((handle, failure) -> this.scheduler.wake(me));
		long patience = this.chance.oneIn(4) ? this.chance.around(Math.max(1_000, attempt.waitFor())) : Scheduler.NEVER;
		long end = this.scheduler.now() + Math.min(patience, Scheduler.NEVER / 2);
		while (!future.isDone() && this.scheduler.now() < end) {
			this.scheduler.sleep(end);
		}
		if (future.cancel(false)) {
			attempt.cancel();
			return Optional.empty();
		}
		return outcome(future);
	}

	private static Optional<LockHandle> outcome(CompletableFuture<LockHandle> future) {
		Throwable failure = future.handle((handle, ex) -> ex).join();
		if (failure instanceof io.holdfast.LockNotAcquiredException) {
			return Optional.empty();
		}
		if (failure instanceof RuntimeException ex) {
			throw ex;
		}
		if (failure instanceof Error ex) {
			throw ex;
		}
		return Optional.of(future.join());
	}

	private Entered byHandle(LockHandle handle, Attempt attempt) {
		Map<String, Long> tokens = new LinkedHashMap<>();
		handle.keys().forEach((key) -> tokens.put(key, handle.fencingToken(key)));
		String owner = attempt.request().handleBound() ? ownerOf(tokens) : ownerOfThread();
		return new Entered(section(attempt, owner, tokens, handle::isHeld), handle, handle::release);
	}

	private Entered byView(Lock view, Attempt attempt) {
		String owner = ownerOfThread();
		Map<String, Long> tokens = new LinkedHashMap<>();
		for (HoldId hold : holds()) {
			for (Grant grant : hold.grants()) {
				if (hold.owner().equals(owner) && attempt.keys().contains(grant.key())) {
					tokens.put(grant.key(), grant.token());
				}
			}
		}
		return new Entered(section(attempt, owner, tokens,
				() -> attempt.keys().stream().allMatch((key) -> this.instance.holds(owner, key, attempt.mode()))), null,
				view::unlock);
	}

	private Section section(Attempt attempt, String owner, Map<String, Long> tokens, BooleanSupplier held) {
		return new Section(attempt, owner, tokens, () -> this.scheduler.atomically(held::getAsBoolean),
				this.scheduler.now());
	}

	@SuppressWarnings("deprecation")
	private String ownerOfThread() {
		return this.instance + ":" + Thread.currentThread().getId();
	}

	private List<HoldId> holds() {
		return this.scheduler
			.atomically(() -> registry().operations().heldLocks().stream().<HoldId>map(HeldLock::id).toList());
	}

	private String ownerOf(Map<String, Long> tokens) {
		return holds().stream()
			.filter((hold) -> hold.grants()
				.stream()
				.anyMatch((grant) -> tokens.getOrDefault(grant.key(), -1L) == grant.token()))
			.findFirst()
			.map(HoldId::owner)
			.orElse(Section.UNKNOWN);
	}

	void extend(LockHandle handle, Duration lease) {
		try {
			handle.extend(lease);
		}
		catch (LockUnavailableException | InjectedError ex) {
			this.scheduler.note("could not extend");
		}
	}

	/**
	 * Have the thread make sure that it holds what it is to hold.
	 */
	void ensureHeld() {
		try {
			registry().ensureHeldByCurrentThread();
		}
		catch (LockLostException | InjectedError ex) {
			this.scheduler.note("is told: " + ex.getMessage());
		}
	}

	/**
	 * Release a lock in any way.
	 */
	void leave(Entered entered) {
		LockHandle handle = entered.handle();
		if (handle == null || !entered.section().attempt().request().handleBound() || !this.chance.oneIn(3)) {
			release(entered);
			return;
		}
		if (this.chance.oneIn(2)) {
			releaseElsewhere(entered);
		}
		else {
			releaseAsync(entered.section(), handle);
		}
	}

	private void releaseElsewhere(Entered entered) {
		long later = this.chance.around(1_000_000);
		this.instance.start("releaser", () -> {
			this.scheduler.sleepFor(later);
			release(entered);
		});
	}

	private void release(Entered entered) {
		Section section = entered.section();
		leaving(section);
		ReleaseResult result = null;
		try {
			if (entered.handle() != null) {
				result = entered.handle().release();
			}
			else {
				entered.unlock().run();
			}
		}
		catch (IllegalMonitorStateException ex) {
			result = ReleaseResult.LOST;
		}
		catch (RuntimeException | Error ex) {
			this.scheduler.endIfOver();
			this.observer.failed("release of " + section, ex);
		}
		left(section, result);
	}

	private void releaseAsync(Section section, LockHandle handle) {
		leaving(section);
		try {
			release(section, handle);
		}
		catch (InjectedError ex) {
			this.observer.failed("release of " + section, ex);
			handle.release();
			left(section, null);
		}
	}

	private void release(Section section, LockHandle handle) {
		handle.releaseAsync().whenComplete((result, failure) -> {
			if (failure != null) {
				this.observer.failed("release of " + section, failure);
			}
			left(section, result);
		});
	}

	private void leaving(Section section) {
		this.scheduler.note("releases " + section);
		section.leave(this.scheduler.now());
		this.observer.leaving(section);
	}

	private void left(Section section, @Nullable ReleaseResult result) {
		section.left(result);
		this.scheduler.note("has released " + section + " " + result);
		this.observer.left(section);
	}

}
