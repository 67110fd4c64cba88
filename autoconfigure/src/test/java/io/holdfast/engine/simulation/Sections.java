package io.holdfast.engine.simulation;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.holdfast.LockException;
import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.EngineListener.HeldLock;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.LockStore.HoldId;
import org.jspecify.annotations.Nullable;

/**
 * Acquires and releases locks in any of the ways that there are, and has them checked.
 */
final class Sections {

	private final Scheduler scheduler;

	private final Instance instance;

	private final Chance chance;

	private final Mix.Kinds kinds;

	private final Checker checker;

	Sections(Instance instance, Chance chance, Mix.Kinds kinds) {
		this.scheduler = instance.scheduler();
		this.instance = instance;
		this.chance = chance;
		this.kinds = kinds;
		this.checker = instance.checker();
	}

	private HoldfastLockRegistry registry() {
		return this.instance.registry();
	}

	@Nullable Section enter(LockRequest request, List<Section> around) {
		return enter(request, around, this.chance.percent(this.kinds.asynchronous()),
				this.chance.percent(this.kinds.byView()));
	}

	void enterForGood(LockRequest request) {
		enter(request, List.of(), false, false);
	}

	private @Nullable Section enter(LockRequest request, List<Section> around, boolean asynchronous, boolean byView) {
		LockRequest asked = asynchronous ? request.ownedByHandle() : request;
		Attempt attempt = new Attempt(this.instance, asked, around, this.scheduler.now());
		this.checker.asked(attempt);
		Section section = null;
		Throwable failure = null;
		try {
			Lock view = byView ? view(attempt) : null;
			if (view != null) {
				section = tryLock(view, attempt) ? byView(view, attempt) : null;
			}
			else {
				section = (asynchronous ? acquireAsync(attempt) : registry().tryAcquire(asked))
					.map((handle) -> byHandle(handle, attempt))
					.orElse(null);
			}
		}
		catch (LockException | InterruptedException ex) {
			failure = ex;
		}
		if (section != null) {
			this.checker.entered(section);
		}
		else {
			this.checker.refused(attempt, failure);
		}
		return section;
	}

	private @Nullable Lock view(Attempt attempt) {
		LockRequest request = attempt.request();
		boolean odd = request.handleBound() || request.minHold() != null || request.maxHold() != null
				|| request.autoRenew() != null || request.lease() != null;
		boolean several = request.keys().size() > 1;
		if (odd || request.permits() > 0 || (attempt.isShared() && (attempt.isFair() || several))) {
			return null;
		}
		String key = request.keys().get(0);
		if (several) {
			return registry().multiLock(request.keys().toArray(String[]::new));
		}
		if (attempt.isShared()) {
			return registry().readWriteLock(key).readLock();
		}
		return attempt.isFair() ? registry().fairLock(key) : registry().lock(key);
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
			attempt.cancelled().set(true);
			return Optional.empty();
		}
		Throwable failure = future.handle((handle, ex) -> ex).join();
		if (failure instanceof LockException ex && !(failure instanceof LockNotAcquiredException)) {
			throw ex;
		}
		return (failure instanceof LockNotAcquiredException) ? Optional.empty() : Optional.of(future.join());
	}

	private Section byHandle(LockHandle handle, Attempt attempt) {
		Map<String, Long> tokens = new LinkedHashMap<>();
		handle.keys().forEach((key) -> tokens.put(key, handle.fencingToken(key)));
		String owner = attempt.request().handleBound() ? ownerOf(tokens) : this.instance.ownerOfThread();
		return new Section(attempt, owner, tokens, () -> this.scheduler.atomically(handle::isHeld), handle, () -> {
		});
	}

	private Section byView(Lock view, Attempt attempt) {
		String owner = this.instance.ownerOfThread();
		Map<String, Long> tokens = new LinkedHashMap<>();
		holds().stream()
			.filter((hold) -> hold.owner().equals(owner))
			.flatMap((hold) -> hold.grants().stream())
			.filter((grant) -> attempt.keys().contains(grant.key()))
			.forEach((grant) -> tokens.put(grant.key(), grant.token()));
		return new Section(attempt, owner, tokens,
				() -> this.scheduler.atomically(() -> attempt.keys()
					.stream()
					.allMatch((key) -> this.instance.holds(owner, key, attempt.request().mode()))),
				null, view::unlock);
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
		catch (LockUnavailableException ex) {
			this.scheduler.note("could not extend");
		}
	}

	void ensureHeld() {
		try {
			registry().ensureHeldByCurrentThread();
		}
		catch (LockLostException ex) {
			this.scheduler.note("is told: " + ex.getMessage());
		}
	}

	void leave(Section section) {
		LockHandle handle = section.handle();
		if (handle == null || !section.attempt().request().handleBound() || !this.chance.oneIn(3)) {
			release(section);
		}
		else if (this.chance.oneIn(2)) {
			long later = this.chance.around(1_000_000);
			this.instance.start("releaser", () -> {
				this.scheduler.sleepFor(later);
				release(section);
			});
		}
		else {
			releaseAsync(section, handle);
		}
	}

	private void release(Section section) {
		this.checker.leaving(section);
		ReleaseResult result = null;
		try {
			result = section.release();
		}
		catch (IllegalMonitorStateException ex) {
			result = ReleaseResult.LOST;
		}
		catch (RuntimeException | Error ex) {
			this.scheduler.endIfOver();
			this.checker.failed("release of " + section, ex);
		}
		this.checker.left(section, result);
	}

	private void releaseAsync(Section section, LockHandle handle) {
		this.checker.leaving(section);
		handle.releaseAsync().whenComplete((result, failure) -> {
			if (failure != null) {
				this.checker.failed("release of " + section, failure);
			}
			this.checker.left(section, result);
		});
	}

}
