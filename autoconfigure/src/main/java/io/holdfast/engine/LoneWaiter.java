package io.holdfast.engine;

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

	private final Sleeper sleeper;

	private volatile boolean woken;

	/**
	 * Create a waiter.
	 * @param waiters where it is found while it can be woken
	 * @param place its place in the store's queue, or {@code null} when it does not wait
	 * @param sleeper who waits
	 */
	LoneWaiter(LoneWaiters waiters, @Nullable QueuePlace place, Sleeper sleeper) {
		this.waiters = waiters;
		this.place = place;
		this.sleeper = sleeper;
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
		this.waiters.add(this);
	}

	@Override
	public boolean isWoken() {
		return this.woken;
	}

	void wakeUp() {
		this.woken = true;
		this.sleeper.wake();
	}

	@Override
	public void granted() {
		end();
	}

	@Override
	public boolean isWaitedFor() {
		return false;
	}

	/**
	 * Not to be woken any more: from now on the caller runs other code, or ends.
	 */
	@Override
	public void end() {
		this.waiters.remove(this);
	}

}
