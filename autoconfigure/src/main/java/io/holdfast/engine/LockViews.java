package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Predicate;

import io.holdfast.LockHandle;
import io.holdfast.LockInterruptedException;
import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.LockUpgradeException;
import io.holdfast.LockView;
import io.holdfast.LogText;
import io.holdfast.ReadWriteLockView;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.StoreView.KeyState;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The views of an instance's locks, which have no state of their own: the handles that a
 * thread acquired through views belong to the locks.
 */
final class LockViews {

	private final Acquirer acquirer;

	private final EngineRuntime runtime;

	private final Renewals renewals;

	private final LockStore store;

	private final Lines lines;

	private final ThreadLocal<Map<Id, Deque<LockHandle>>> handles = ThreadLocal.withInitial(HashMap::new);

	LockViews(Acquirer acquirer, EngineRuntime runtime, Renewals renewals, LockStore store, Lines lines) {
		this.acquirer = acquirer;
		this.runtime = runtime;
		this.renewals = renewals;
		this.store = store;
		this.lines = lines;
	}

	LockView view(LockRequest request) {
		return new View(request, false);
	}

	LockView viewUntilLost(LockRequest request) {
		return new View(request, true);
	}

	ReadWriteLockView readWriteView(String key) {
		return new ReadWriteView(view(LockRequest.of(key).shared()), view(LockRequest.of(key)));
	}

	private void push(Id id, LockHandle handle) {
		this.handles.get().computeIfAbsent(id, (i) -> new ArrayDeque<>()).push(handle);
	}

	private @Nullable LockHandle pop(Id id) {
		Map<Id, Deque<LockHandle>> ofThisThread = this.handles.get();
		Deque<LockHandle> ofTheLock = ofThisThread.get(id);
		LockHandle last = (ofTheLock != null) ? ofTheLock.pop() : null;
		if (ofTheLock != null && ofTheLock.isEmpty()) {
			ofThisThread.remove(id);
		}
		if (ofThisThread.isEmpty()) {
			this.handles.remove();
		}
		return last;
	}

	private @Nullable LockHandle last(Id id) {
		LockHandle last = pop(id);
		if (last != null) {
			push(id, last);
		}
		return last;
	}

	// A fair view locks the same lock as one that is not
	private record Id(Set<String> keys, LockMode mode) {
	}

	private record ReadWriteView(LockView readLock, LockView writeLock) implements ReadWriteLockView {
	}

	private final class View implements LockView {

		private final LockRequest request;

		private final boolean untilLost;

		private final Id id;

		View(LockRequest request, boolean untilLost) {
			this.request = request;
			this.untilLost = untilLost;
			this.id = new Id(Set.copyOf(request.lockKeys()), request.mode());
		}

		@Override
		public List<String> keys() {
			return this.request.lockKeys();
		}

		@Override
		public void lock() {
			acquireUninterruptibly(this.request, LockRequest.NO_LIMIT);
		}

		@Override
		public void lock(Duration lease) {
			acquireUninterruptibly(limited(lease), LockRequest.NO_LIMIT);
		}

		@Override
		public void lockInterruptibly() throws InterruptedException {
			acquire(this.request, LockRequest.NO_LIMIT);
		}

		@Override
		public boolean tryLock() {
			try {
				return acquireUninterruptibly(this.request, Duration.ZERO);
			}
			catch (LockUpgradeException ex) {
				return false;
			}
		}

		@Override
		public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
			return tryAcquire(this.request.waitFor(Duration.ofNanos(Math.max(0, unit.toNanos(time)))));
		}

		@Override
		public boolean tryLock(Duration waitFor) throws InterruptedException {
			return tryAcquire(this.request.waitFor(waitFor));
		}

		@Override
		public boolean tryLock(Duration waitFor, Duration lease) throws InterruptedException {
			return tryAcquire(limited(lease).waitFor(waitFor));
		}

		private LockRequest limited(Duration lease) {
			return this.request.lease(lease).autoRenew(false);
		}

		private boolean tryAcquire(LockRequest request) throws InterruptedException {
			try {
				return acquire(request, Objects.requireNonNull(request.waitFor()));
			}
			catch (LockUpgradeException ex) {
				return false;
			}
		}

		private boolean acquire(LockRequest request, Duration waitFor) throws InterruptedException {
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
			try {
				return acquire(CallingThread.interruptible(LockViews.this.runtime, request, deadline(waitFor)));
			}
			catch (LockInterruptedException ex) {
				Thread.interrupted();
				throw new InterruptedException();
			}
		}

		private boolean acquireUninterruptibly(LockRequest request, Duration waitFor) {
			return acquire(CallingThread.uninterruptible(LockViews.this.runtime, request, deadline(waitFor)));
		}

		private Deadline deadline(Duration waitFor) {
			return LockViews.this.acquirer.deadline(waitFor);
		}

		private boolean acquire(CallingThread caller) {
			LockHandle outer = this.untilLost ? last(this.id) : null;
			LockHandle handle = LockViews.this.acquirer.acquire(outer, caller).handle();
			if (handle == null) {
				return false;
			}
			push(this.id, handle);
			return true;
		}

		@Override
		public void unlock() {
			LockHandle handle = pop(this.id);
			if (handle == null) {
				throw new IllegalMonitorStateException(notLocked());
			}
			if (handle.release() == ReleaseResult.LOST) {
				throw new IllegalMonitorStateException(
						"Lock '%s' was lost before it was unlocked: what ran under it was not protected to the end"
							.formatted(text()));
			}
		}

		private String notLocked() {
			return LockViews.this.acquirer.isHeldByCurrentThread(keys())
					? "Lock '%s' is held by thread '%s', but was not acquired by this view: unlock or release what acquired it"
						.formatted(text(), thread())
					: notHeld();
		}

		private String notHeld() {
			return "Lock '%s' is not held by thread '%s'".formatted(text(), thread());
		}

		private String thread() {
			return LogText.of(Thread.currentThread().getName());
		}

		@Override
		public Condition newCondition() {
			throw new UnsupportedOperationException("A distributed lock has no conditions");
		}

		@Override
		public boolean isLocked() {
			return any((state) -> !state.holders().isEmpty());
		}

		@Override
		public boolean hasQueuedThreads() {
			return isWaitedForHere() || any((state) -> state.waiterCount() > 0);
		}

		private boolean isWaitedForHere() {
			return LockViews.this.lines.waiting().stream().anyMatch((caller) -> caller.isForOneOf(keys()));
		}

		private boolean any(Predicate<KeyState> condition) {
			try {
				return look().stream().anyMatch(condition);
			}
			catch (LockStoreException ex) {
				throw new LockUnavailableException(
						"Lock '%s' could not be looked up: %s".formatted(text(), ex.getMessage()), ex);
			}
		}

		// Throws if there is something else in place of one of the locks
		private List<KeyState> look() {
			List<KeyState> states = LockViews.this.store.view().look(keys());
			states.stream().map(KeyState::problem).filter(Objects::nonNull).findFirst().ifPresent((problem) -> {
				throw new LockStoreException(problem, null, false);
			});
			return states;
		}

		@Override
		public int getHoldCount() {
			return holds().stream().mapToInt((hold) -> hold.count(this.id.mode())).min().orElse(0);
		}

		@Override
		public Duration remainingLease() {
			return holds().stream()
				.map((hold) -> hold.lease().remaining())
				.min(Comparator.naturalOrder())
				.orElse(Duration.ZERO);
		}

		@Override
		public boolean extend(Duration lease) {
			LockRequest.requireValidLease(lease);
			List<Hold> holds = holds();
			boolean held = !holds.isEmpty();
			for (Hold hold : holds) {
				held &= LockViews.this.renewals.extend(hold, lease);
			}
			return held;
		}

		@Override
		public long fencingToken() {
			List<Hold> holds = holds();
			if (holds.isEmpty()) {
				throw new IllegalMonitorStateException(notHeld());
			}
			Assert.state(keys().size() == 1,
					() -> "Each of the keys %s has a fencing token of its own: ".formatted(text())
							+ "acquire them with a LockRequest, and use LockHandle.fencingToken(key)");
			return holds.get(0).token(keys().get(0));
		}

		private List<Hold> holds() {
			return LockViews.this.acquirer.heldByCurrentThread(keys(), this.id.mode());
		}

		private String text() {
			return LogText.of(LogText.keys(keys()));
		}

		private boolean isOf(LockViews views) {
			return LockViews.this == views;
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof View view && view.isOf(LockViews.this) && this.id.equals(view.id)
					&& Objects.equals(this.request.ordered(), view.request.ordered());
		}

		@Override
		public int hashCode() {
			return this.id.hashCode();
		}

		@Override
		public String toString() {
			String kind = (this.request.ordered() != null) ? "fair" : this.id.mode().name().toLowerCase(Locale.ROOT);
			return "LockView[%s, %s]".formatted(text(), kind);
		}

	}

}
