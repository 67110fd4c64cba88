package io.holdfast.diagnostics;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

import io.holdfast.engine.EngineListener.Waiter;
import io.holdfast.engine.EngineListener.LockWait;
import io.holdfast.engine.store.PlaceName;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this instance that wait while their owners hold other locks. Only they
 * can be part of a deadlock.
 */
final class NestedWaiters {

	/**
	 * How many callers are checked at once.
	 */
	private static final int MOST_CALLERS = 20;

	private final ConcurrentHashMap<Waiter, Long> numbers = new ConcurrentHashMap<>();

	private final AtomicLong lastNumber = new AtomicLong();

	private final Duration leastWait;

	private int lookedAt;

	/**
	 * Create waiters.
	 * @param leastWait how long a caller must wait to be checked
	 */
	NestedWaiters(Duration leastWait) {
		this.leastWait = leastWait;
	}

	void add(Waiter waiter) {
		this.numbers.put(waiter, this.lastNumber.incrementAndGet());
	}

	void remove(Waiter waiter) {
		this.numbers.remove(waiter);
	}

	boolean isEmpty() {
		return this.numbers.isEmpty();
	}

	/**
	 * Return all waits as they are now.
	 */
	List<Wait> all() {
		return this.numbers.entrySet().stream().map((entry) -> new Wait(entry.getKey(), entry.getValue())).toList();
	}

	/**
	 * Return the waits to check next: the longest first, and in turn if there are many.
	 * For one thread.
	 */
	List<Wait> next() {
		List<Wait> waits = all().stream()
			.filter((wait) -> wait.waited().compareTo(this.leastWait) > 0)
			.sorted(Comparator.comparing(Wait::waited).reversed())
			.collect(Collectors.toList());
		if (waits.size() > MOST_CALLERS) {
			Collections.rotate(waits, -(this.lookedAt % waits.size()));
			this.lookedAt = (this.lookedAt + MOST_CALLERS) % waits.size();
		}
		return waits.stream().limit(MOST_CALLERS).toList();
	}

	/**
	 * Return the waits of some owners.
	 */
	List<Wait> of(Collection<String> owners) {
		return all().stream().filter((wait) -> owners.contains(wait.owner())).toList();
	}

	/**
	 * A wait as it was at one moment.
	 */
	static final class Wait {

		private final LockWait wait;

		private final long number;

		private Wait(Waiter waiter, long number) {
			this.wait = waiter.snapshot();
			this.number = number;
		}

		String owner() {
			return this.wait.owner();
		}

		Duration waited() {
			return this.wait.waited();
		}

		List<String> keys() {
			return this.wait.keys();
		}

		/**
		 * Return what names the wait: its owner, a number, and what is wanted.
		 */
		PlaceName place() {
			return new PlaceName(this.wait.owner(), this.number, false, this.wait.mode());
		}

		/**
		 * Return the place, if it is a wait for a key.
		 */
		@Nullable PlaceName placeFor(String key) {
			return this.wait.keys().contains(key) ? place() : null;
		}

	}

}
