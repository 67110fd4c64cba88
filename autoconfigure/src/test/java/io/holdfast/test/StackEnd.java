package io.holdfast.test;

import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * Does something where a thread's stack is about to end.
 */
public final class StackEnd implements Runnable {

	private static final int SMALL_STACK = 256 * 1024;

	private final Runnable action;

	private int callsBeforeTheEnd;

	private boolean done;

	private StackEnd(int callsBeforeTheEnd, Runnable action) {
		this.callsBeforeTheEnd = callsBeforeTheEnd;
		this.action = action;
	}

	/**
	 * Do something in a thread of its own, whatever it throws.
	 * @param callsBeforeTheEnd for how many small calls there would be room
	 * @throws IllegalStateException when it does not return
	 */
	public static void run(int callsBeforeTheEnd, Runnable action) {
		FutureTask<Void> dive = new FutureTask<>(new StackEnd(callsBeforeTheEnd, action), null);
		new Thread(null, dive, "stack-end", SMALL_STACK).start();
		try {
			dive.get(1, TimeUnit.MINUTES);
		}
		catch (Exception ex) {
			throw new IllegalStateException("It does not end", ex);
		}
	}

	@Override
	public void run() {
		try {
			run();
		}
		catch (StackOverflowError ex) {
			// the way back begins
		}
		if (!this.done && this.callsBeforeTheEnd-- <= 0) {
			this.done = true;
			try {
				this.action.run();
			}
			catch (RuntimeException | Error ex) {
				// what it leaves behind counts
			}
		}
	}

}
