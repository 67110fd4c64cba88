package io.holdfast.engine;

/**
 * A caller that deals with the store about locks: it asks for them, waits until it may
 * have them, and holds them until its {@link #end()}.
 */
interface Waiter {

	/**
	 * Return what is known about the store's side.
	 */
	Sight sight();

	/**
	 * Forget earlier wake-ups: the store is about to be asked.
	 */
	void expectWakeUp();

	/**
	 * Return whether the locks may be free since then. When that comes, the sleeper is
	 * woken.
	 */
	boolean isWoken();

	/**
	 * The store has granted the locks to this caller, which asked for them itself.
	 */
	void granted();

	/**
	 * Return whether others stand in line behind this caller.
	 */
	boolean isWaitedFor();

	/**
	 * Be done with the locks. Does nothing when that is so already.
	 */
	void end();

}
