package io.holdfast.engine;

import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/**
 * Locks that this instance retains: at most so many, those with the least time left go
 * first, and none once no lock may be retained any more.
 */
final class Retention {

	private final Set<Retained> all = ConcurrentHashMap.newKeySet();

	private final Background background;

	private final BooleanSupplier allowed;

	private final int most;

	private final long look;

	private final Background.Task check = new Background.Task(this::check);

	private long nextCheck;

	private boolean scheduled;

	Retention(Background background, BooleanSupplier allowed, int most, long look) {
		this.background = background;
		this.allowed = allowed;
		this.most = most;
		this.look = look;
	}

	boolean isAllowed() {
		return this.most > 0 && this.allowed.getAsBoolean();
	}

	// After the background has forgotten what was scheduled
	synchronized void open() {
		this.scheduled = false;
	}

	void add(Retained retained) {
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

	// A lock in use may be retained again, so it stays here for as long
	private void check() {
		checkBegins();
		boolean stay = isAllowed();
		long next = now() + this.look;
		for (Retained one : this.all) {
			if (stay && one.until() - now() > 0) {
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

	void giveBackAll() {
		this.all.forEach(this::giveBack);
	}

	private void giveBack(Retained one) {
		if (one.giveBack()) {
			remove(one);
		}
	}

	void remove(Retained retained) {
		if (this.all.remove(retained)) {
			endChecks();
		}
	}

	// Synchronized like checkBy, so that what is added meanwhile is checked
	private synchronized void endChecks() {
		if (this.all.isEmpty()) {
			this.scheduled = false;
			this.background.cancel(this.check);
		}
	}

	int count() {
		return (int) this.all.stream().filter(Retained::isRetained).count();
	}

	private long now() {
		return this.background.runtime().nanos();
	}

	/**
	 * A lock that may be retained, or be in use meanwhile.
	 */
	interface Retained {

		boolean isRetained();

		long until();

		boolean giveBack();

	}

}
