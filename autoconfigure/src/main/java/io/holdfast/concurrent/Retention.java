package io.holdfast.concurrent;

import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/**
 * What an instance keeps for later use, for a time: at most so much, what has the least
 * time left goes first, and nothing once the owner says that it may not be kept any more.
 *
 * @since 0.1.0
 */
public final class Retention {

	private final Set<Retained> all = ConcurrentHashMap.newKeySet();

	private final Background background;

	private final BooleanSupplier allowed;

	private final int most;

	private final long look;

	private final Background.Task check = new Background.Task(this::check);

	private long nextCheck;

	private boolean scheduled;

	/**
	 * Create a retention that has nothing yet.
	 * @param background gives back what is kept at its time
	 * @param allowed whether anything may be kept at present
	 * @param most how much is kept
	 * @param look how often to ask whether anything may be kept, in nanoseconds
	 */
	public Retention(Background background, BooleanSupplier allowed, int most, long look) {
		this.background = background;
		this.allowed = allowed;
		this.most = most;
		this.look = look;
	}

	/**
	 * Return whether anything may be kept at present.
	 * @return whether it may
	 */
	public boolean isAllowed() {
		return this.most > 0 && this.allowed.getAsBoolean();
	}

	/**
	 * Begin anew after the background has forgotten what was scheduled.
	 */
	public synchronized void open() {
		this.scheduled = false;
	}

	/**
	 * See that something is given back at its time. Cheap where that is the case already.
	 * @param retained what is kept from now on
	 */
	public void add(Retained retained) {
		this.all.add(retained);
		if (this.all.size() > this.most) {
			giveBackFirst();
		}
		if (isAllowed()) {
			checkBy(MonotonicClock.earlier(retained.until(), now() + this.look));
		}
		else {
			giveBackAll();
		}
	}

	/**
	 * The one whose time is over first goes.
	 */
	private void giveBackFirst() {
		List<Retained> retained = this.all.stream().filter(Retained::isRetained).toList();
		if (retained.size() > this.most) {
			giveBack(Collections.min(retained, Comparator.comparingLong((one) -> one.until() - now())));
		}
	}

	private synchronized void checkBy(long due) {
		if (!this.scheduled || this.nextCheck - due > 0) {
			this.nextCheck = due;
			this.background.scheduleAt(this.check, due);
			this.scheduled = true;
		}
	}

	private synchronized void checkBegins() {
		this.scheduled = false;
	}

	/**
	 * What is in use at the moment stays for as long as it would if it were not.
	 */
	private void check() {
		checkBegins();
		boolean allowed = isAllowed();
		long next = now() + this.look;
		for (Retained one : this.all) {
			if (allowed && one.until() - now() > 0) {
				next = MonotonicClock.earlier(next, one.until());
			}
			else {
				giveBack(one);
			}
		}
		if (!this.all.isEmpty()) {
			checkBy(next);
		}
	}

	/**
	 * Give everything back that is not in use.
	 */
	public void giveBackAll() {
		this.all.forEach(this::giveBack);
	}

	/**
	 * What is in use may be kept again. What is given back is seen here until that is
	 * done.
	 */
	private void giveBack(Retained one) {
		if (one.giveBack()) {
			remove(one);
		}
	}

	/**
	 * Forget what is never kept again.
	 * @param retained what was kept
	 */
	public void remove(Retained retained) {
		if (this.all.remove(retained)) {
			endChecks();
		}
	}

	/**
	 * What is added meanwhile is checked all the same: to end and to begin exclude each
	 * other.
	 */
	private synchronized void endChecks() {
		if (this.all.isEmpty()) {
			this.scheduled = false;
			this.background.cancel(this.check);
		}
	}

	/**
	 * Return how much is kept.
	 * @return the number of what is not in use
	 */
	public int count() {
		return (int) this.all.stream().filter(Retained::isRetained).count();
	}

	private long now() {
		return this.background.runtime().nanos();
	}

	/**
	 * Something that may be kept.
	 */
	public interface Retained {

		/**
		 * Return whether it is kept, and not in use.
		 * @return whether it is
		 */
		boolean isRetained();

		/**
		 * Return until when it is kept.
		 * @return the time on the clock
		 */
		long until();

		/**
		 * Give it back, unless it is in use.
		 * @return whether it has been given back, and is never kept again
		 */
		boolean giveBack();

	}

}
