package io.holdfast.engine;

import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * A caller that deals with the store by itself, without a line in this instance: because
 * it shares the lock, wants to be served in the store's order, or asks for several keys.
 */
final class LoneWaiter implements Waiter {

	private final Sight sight = new Sight();

	private final Thread thread = Thread.currentThread();

	private final Consumer<LoneWaiter> whenDone;

	private volatile boolean woken;

	/**
	 * Create a waiter for the present thread.
	 * @param whenDone told when it need not be woken any more
	 */
	LoneWaiter(Consumer<LoneWaiter> whenDone) {
		this.whenDone = whenDone;
	}

	@Override
	public Sight sight() {
		return this.sight;
	}

	@Override
	public void expectWakeUp() {
		this.woken = false;
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
		// There is no line to keep count of
	}

	@Override
	public void end() {
		this.whenDone.accept(this);
	}

}
