package io.holdfast.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * The callers of this instance that want one key, in order of arrival. One at a time has
 * its {@link Turn} and deals with the key in the store: it asks for the lock, waits until
 * another instance gives it up, holds it. When it is done, the turn goes to the next, and
 * the lock with it if the store agrees.
 *
 * <p>
 * Knows nothing of the store. What happens between two callers happens under the lock of
 * the queue; nobody waits there.
 */
final class LocalQueue {

	private final Deque<Turn> waiting = new ArrayDeque<>(1);

	private final Sight sight = new Sight();

	private final Lock lock;

	private final Consumer<LocalQueue> whenUnused;

	private @Nullable Turn current;

	private @Nullable Turn chosen;

	private boolean retired;

	private volatile boolean woken;

	private int handoffs;

	/**
	 * Create a queue.
	 * @param lock guards the queue
	 * @param whenUnused told when the queue is not needed any more, and takes nobody in
	 */
	LocalQueue(Lock lock, Consumer<LocalQueue> whenUnused) {
		this.lock = lock;
		this.whenUnused = whenUnused;
	}

	/**
	 * Get in line: whoever finds nobody there has its turn at once. If not, and it does
	 * not wait, it never has.
	 * @return {@code false} when this queue takes nobody in any more
	 */
	boolean enter(Turn turn) {
		this.lock.lock();
		try {
			if (this.retired) {
				return false;
			}
			if (this.current == null) {
				this.current = turn;
				turn.begin(null);
			}
			else if (turn.claimant().isWaiting()) {
				this.waiting.add(turn);
			}
			else {
				turn.finish();
			}
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Do without the turn.
	 * @return {@code false} when it has begun, and must be ended
	 */
	boolean leave(Turn turn) {
		this.lock.lock();
		try {
			if (turn.isMine()) {
				return false;
			}
			if (turn == this.chosen) {
				this.chosen = null;
			}
			else {
				this.waiting.remove(turn);
			}
			turn.finish();
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Return whether somebody waits for the end of the present turn.
	 */
	boolean isWaitedFor() {
		this.lock.lock();
		try {
			return this.chosen != null || !this.waiting.isEmpty();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Choose who is next, while the present turn goes on.
	 * @return the next, or {@code null} when nobody waits
	 */
	@Nullable Turn choose(Turn present) {
		this.lock.lock();
		try {
			if (this.current != present) {
				return null;
			}
			this.chosen = this.waiting.poll();
			return this.chosen;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Begin the turn that was chosen, and end the present one.
	 * @param handover what it begins with, or {@code null} for nothing
	 * @return {@code false} when whoever was chosen has left: the present turn goes on
	 */
	boolean handOn(Turn present, Turn next, @Nullable Handover handover) {
		this.lock.lock();
		try {
			if (next != this.chosen) {
				return false;
			}
			this.chosen = null;
			present.finish();
			this.current = next;
			next.begin(handover);
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * End a turn, unless it is over already, and begin the next.
	 */
	void end(Turn turn) {
		if (endAndBeginNext(turn)) {
			this.whenUnused.accept(this);
		}
	}

	/**
	 * End a turn.
	 * @return whether the queue is not needed any more
	 */
	private boolean endAndBeginNext(Turn turn) {
		this.lock.lock();
		try {
			turn.finish();
			if (this.current != turn) {
				return false;
			}
			Turn next = (this.chosen != null) ? this.chosen : this.waiting.poll();
			this.chosen = null;
			this.current = next;
			if (next != null) {
				next.begin(null);
				return false;
			}
			this.retired = true;
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Take nobody in any more, send away who waits, and wake whoever has its turn.
	 */
	void abandon() {
		this.lock.lock();
		try {
			this.retired = true;
			if (this.chosen != null) {
				this.waiting.add(this.chosen);
				this.chosen = null;
			}
			this.waiting.forEach((turn) -> {
				turn.finish();
				turn.signal();
			});
			this.waiting.clear();
			wakeUp();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Forget earlier wake-ups: the store is about to be asked.
	 */
	void expectWakeUp() {
		this.woken = false;
	}

	/**
	 * Tell whoever has its turn, now or next, that the lock may be free.
	 */
	void wakeUp() {
		this.lock.lock();
		try {
			this.woken = true;
			if (this.current != null) {
				this.current.signal();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	boolean isWoken() {
		return this.woken;
	}

	/**
	 * Return what is known about the key in the store.
	 */
	Sight sight() {
		return this.sight;
	}

	/**
	 * Return how many times in a row the lock was handed on although another instance
	 * waited for it. For whoever has its turn.
	 */
	int handoffs() {
		return this.handoffs;
	}

	void handoffs(int handoffs) {
		this.handoffs = handoffs;
	}

}
