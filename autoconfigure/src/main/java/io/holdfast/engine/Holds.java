package io.holdfast.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * The holds of this instance, at most one for each key and owner.
 */
final class Holds {

	private final ConcurrentHashMap<Id, Hold> holds = new ConcurrentHashMap<>();

	private final Semaphore removals = new Semaphore(0);

	private volatile boolean removalsWatched;

	@Nullable Hold find(String key, Owner owner) {
		return this.holds.get(new Id(key, owner.id()));
	}

	void add(Hold hold) {
		this.holds.put(Id.of(hold), hold);
	}

	void remove(Hold hold) {
		this.holds.remove(Id.of(hold), hold);
		if (this.removalsWatched) {
			this.removals.release();
		}
	}

	Collection<Hold> all() {
		return List.copyOf(this.holds.values());
	}

	int size() {
		return this.holds.size();
	}

	/**
	 * Wait until nothing is held any more.
	 * @param atMost how long to wait
	 */
	void awaitNone(Duration atMost) {
		long begin = System.nanoTime();
		this.removalsWatched = true;
		try {
			while (!this.holds.isEmpty()) {
				long left = MonotonicClock.toNanos(atMost) - (System.nanoTime() - begin);
				if (!this.removals.tryAcquire(left, TimeUnit.NANOSECONDS)) {
					return;
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			this.removalsWatched = false;
		}
	}

	private record Id(String key, String ownerId) {

		private static Id of(Hold hold) {
			return new Id(hold.id().key(), hold.id().owner());
		}

	}

}
