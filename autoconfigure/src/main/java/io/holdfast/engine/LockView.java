package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import io.holdfast.LockHandle;
import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import io.holdfast.LockUpgradeException;
import io.holdfast.LogText;
import io.holdfast.ReleaseResult;
import org.jspecify.annotations.Nullable;

/**
 * A lock with the contract of {@link java.util.concurrent.locks}. Has no state of its
 * own: two views of one key are the same lock.
 */
final class LockView implements Lock {

	private final LockRequest request;

	private final Id id;

	private final Acquirer acquirer;

	private final Requests requests;

	private final ThreadHandles handles;

	LockView(LockRequest request, Acquirer acquirer, Requests requests, ThreadHandles handles) {
		this.request = request;
		this.id = new Id(Set.copyOf(request.lockKeys()), request.mode());
		this.acquirer = acquirer;
		this.requests = requests;
		this.handles = handles;
	}

	@Override
	public void lock() {
		acquireUninterruptibly(LockRequest.NO_LIMIT);
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		acquire(LockRequest.NO_LIMIT);
	}

	@Override
	public boolean tryLock() {
		try {
			return acquireUninterruptibly(Duration.ZERO);
		}
		catch (LockUpgradeException ex) {
			return false;
		}
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		try {
			return acquire(Duration.ofNanos(Math.max(0, unit.toNanos(time))));
		}
		catch (LockUpgradeException ex) {
			return false;
		}
	}

	@Override
	public void unlock() {
		LockHandle handle = this.handles.pop(this.id);
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
		String thread = LogText.of(Thread.currentThread().getName());
		return this.acquirer.isHeldByCurrentThread(this.request.lockKeys())
				? "Lock '%s' was acquired by thread '%s' otherwise than by a view: release its handle".formatted(text(),
						thread)
				: "Lock '%s' is not held by thread '%s'".formatted(text(), thread);
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("A distributed lock has no conditions");
	}

	private boolean acquire(Duration waitFor) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		return push(this.acquirer.acquire(this.request,
				CallingThread.interruptible(this.requests.runtime(), this.requests.deadline(waitFor))));
	}

	private boolean acquireUninterruptibly(Duration waitFor) {
		try {
			return push(this.acquirer.acquire(this.request,
					CallingThread.uninterruptible(this.requests.runtime(), this.requests.deadline(waitFor))));
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Interrupted although interrupts are deferred", ex);
		}
	}

	private boolean push(Acquirer.Result result) {
		LockHandle handle = result.handle();
		if (handle == null) {
			return false;
		}
		this.handles.push(this.id, handle);
		return true;
	}

	@Override
	public String toString() {
		return "Lock[keys=%s, mode=%s]".formatted(this.request.lockKeys(), this.request.mode());
	}

	private String text() {
		return LogText.of(LogText.keys(this.request.lockKeys()));
	}

	/**
	 * Identity of the lock: equal for two views of the same lock.
	 */
	record Id(Set<String> keys, LockMode mode) {
	}

	/**
	 * The handles that each thread acquired through a view and has not released yet: last
	 * in, first out for each lock.
	 */
	static final class ThreadHandles {

		private final ThreadLocal<Map<Id, Deque<LockHandle>>> handles = ThreadLocal.withInitial(HashMap::new);

		void push(Id id, LockHandle handle) {
			this.handles.get().computeIfAbsent(id, (i) -> new ArrayDeque<>()).push(handle);
		}

		@Nullable LockHandle pop(Id id) {
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

	}

}
