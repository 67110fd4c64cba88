package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

/**
 * A caller's turn to deal with a key in the store. Belongs to the caller while it waits,
 * then to the hold that it gets.
 *
 * <pre class="code">
 * WAITING --(it is the first)--&gt; MINE --(ended, or handed on)--&gt; OVER
 *    |                                                           ^
 *    +---------(the caller leaves or does not wait, -------------+
 *               or the queue is abandoned)
 * </pre>
 *
 * While it waits it may be chosen to be next: then a releasing thread is talking to the
 * store on the caller's behalf. A caller that leaves meanwhile does not wait for what
 * comes of that: the releasing thread finds it gone and cleans up.
 */
final class Turn implements Waiter {

	enum State {

		WAITING, MINE, OVER

	}

	private final LocalQueue queue;

	private final Claimant claimant;

	private final Sleeper sleeper;

	private volatile State state = State.WAITING;

	private @Nullable Handover handover;

	Turn(LocalQueue queue, Claimant claimant, Sleeper sleeper) {
		this.queue = queue;
		this.claimant = claimant;
		this.sleeper = sleeper;
	}

	LocalQueue queue() {
		return this.queue;
	}

	Claimant claimant() {
		return this.claimant;
	}

	/**
	 * Return whether the caller's turn has begun, or never will. When that comes, the
	 * sleeper is woken.
	 */
	boolean isDecided() {
		return this.state != State.WAITING;
	}

	/**
	 * Do without the turn.
	 * @return {@code false} when it has begun, and must be ended
	 */
	boolean leave() {
		return this.queue.leave(this);
	}

	@Override
	public Sight sight() {
		return this.queue.sight();
	}

	@Override
	public void expectWakeUp() {
		this.queue.expectWakeUp();
	}

	@Override
	public void granted() {
		this.queue.handoffs(0);
	}

	@Override
	public boolean isWoken() {
		return this.queue.isWoken();
	}

	@Override
	public boolean isWaitedFor() {
		return this.queue.isWaitedFor();
	}

	/**
	 * Choose who is next, see {@link LocalQueue#choose}.
	 */
	@Nullable Turn chooseNext() {
		return this.queue.choose(this);
	}

	/**
	 * Give the turn to the one chosen, see {@link LocalQueue#handOn}.
	 */
	boolean handOn(Turn next, @Nullable Handover handover) {
		return this.queue.handOn(this, next, handover);
	}

	/**
	 * Give the turn to the next, if there is one. Does nothing when it is over already.
	 */
	@Override
	public void end() {
		this.queue.end(this);
	}

	/**
	 * Take what whoever was before left.
	 */
	@Nullable Handover takeHandover() {
		Handover taken = this.handover;
		this.handover = null;
		return taken;
	}

	boolean isMine() {
		return this.state == State.MINE;
	}

	void begin(@Nullable Handover handover) {
		this.handover = handover;
		this.state = State.MINE;
		signal();
	}

	void finish() {
		this.state = State.OVER;
	}

	void signal() {
		this.sleeper.wake();
	}

}
