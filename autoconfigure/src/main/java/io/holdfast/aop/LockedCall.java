package io.holdfast.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * A call under locks that are acquired one inside the other, and yet are as one: the
 * waits for all of them begin with the call, and the loss of one is the loss of all.
 */
final class LockedCall {

	private final long start = System.nanoTime();

	private final List<LockHandle> held = new ArrayList<>();

	private final LockTemplate template;

	private final Supplier<Duration> defaultWait;

	private final Consumer<LockHandle> releaseAside;

	private final Consumer<LockHandle> giveBack;

	private final MethodInvocation invocation;

	private boolean begun;

	/**
	 * Create a call that begins now.
	 * @param defaultWait how long a request waits that does not say so
	 * @param releaseAside gives up a lock without waiting for Redis
	 * @param giveBack gives up a lock that was acquired in vain
	 * @param invocation what to run under all of the locks
	 */
	LockedCall(LockTemplate template, Supplier<Duration> defaultWait, Consumer<LockHandle> releaseAside,
			Consumer<LockHandle> giveBack, MethodInvocation invocation) {
		this.template = template;
		this.defaultWait = defaultWait;
		this.releaseAside = releaseAside;
		this.giveBack = giveBack;
		this.invocation = invocation;
	}

	@SuppressWarnings("NullAway") // it does not know yet that a type argument can be
									// nullable
	@Nullable Object run(Iterator<LockRequest> locks) throws Throwable {
		int before = this.held.size();
		LockRequest next = locks.next();
		try {
			return this.template.<@Nullable Object, Throwable>execute((before > 0) ? shortened(next) : next,
					(lock) -> holding(lock, locks));
		}
		catch (LockNotAcquiredException ex) {
			throw (before > 0 && this.held.size() == before) ? sinceTheStart(ex) : ex;
		}
	}

	private @Nullable Object holding(LockHandle lock, Iterator<LockRequest> locks) throws Throwable {
		this.held.add(lock);
		try {
			return locks.hasNext() ? run(locks) : proceed();
		}
		finally {
			if (!this.begun) {
				this.giveBack.accept(lock);
			}
		}
	}

	private @Nullable Object proceed() throws Throwable {
		if (this.held.size() > 1) {
			join();
		}
		this.begun = true;
		return this.invocation.proceed();
	}

	/**
	 * Have the loss of one lock release the others.
	 * @throws io.holdfast.LockLostException when one was lost while the others were
	 * waited for
	 */
	private void join() {
		this.held.forEach(LockHandle::ensureHeld);
		this.held.forEach((lock) -> lock.onLost((lost) -> releaseAllBut(lock)));
	}

	/**
	 * Whoever tells losses must not wait for Redis: there may be others to tell.
	 */
	private void releaseAllBut(LockHandle lost) {
		this.held.stream().filter((lock) -> lock != lost).forEach(this.releaseAside);
	}

	private LockRequest shortened(LockRequest request) {
		Duration waitFor = (request.waitFor() != null) ? request.waitFor() : this.defaultWait.get();
		if (waitFor.isNegative()) {
			return request;
		}
		Duration left = waitFor.minus(elapsed());
		return request.waitFor(left.isNegative() ? Duration.ZERO : left);
	}

	private LockNotAcquiredException sinceTheStart(LockNotAcquiredException failure) {
		LockNotAcquiredException all = new LockNotAcquiredException(failure.getKey(), elapsed(), failure.getHolder());
		all.initCause(failure);
		return all;
	}

	private Duration elapsed() {
		return Duration.ofNanos(System.nanoTime() - this.start);
	}

}
