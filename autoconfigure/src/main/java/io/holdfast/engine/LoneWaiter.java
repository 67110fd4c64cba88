package io.holdfast.engine;

import java.util.concurrent.locks.LockSupport;

import io.holdfast.engine.LockStore.QueuePlace;
import org.jspecify.annotations.Nullable;

/**
 * A caller that deals with the store by itself, without a line in this instance: because
 * it shares the lock, wants to be served in the store's order, or asks for several keys.
 */
final class LoneWaiter implements Waiter {

	private final Sight sight = new Sight();

	private final LoneWaiters waiters;

	private final @Nullable QueuePlace place;

	private volatile @Nullable Thread thread;

	private volatile boolean woken;

	/**
	 * Create a waiter.
	 * @param waiters where it is found while it can be woken
	 * @param place its place in the store's queue, or {@code null} when it does not wait
	 */
	LoneWaiter(LoneWaiters waiters, @Nullable QueuePlace place) {
		this.waiters = waiters;
		this.place = place;
	}

	@Nullable QueuePlace place() {
		return this.place;
	}

	@Override
	public Sight sight() {
		return this.sight;
	}

	@Override
	public void expectWakeUp() {
		this.woken = false;
		this.thread = Thread.currentThread();
		this.waiters.add(this);
	}

	@Override
	public void awaitWakeUp(Patience patience, long atMost) throws InterruptedException {
		patience.await(() -> this.woken, atMost);
	}

	void wakeUp() {
		this.woken = true;
		LockSupport.unpark(this.thread);
	}

	@Override
	public void granted() {
		end();
	}

	/**
	 * Not to be woken any more: from now on the thread runs other code, or ends.
	 */
	@Override
	public void end() {
		this.waiters.remove(this);
		this.thread = null;
	}

}
