package io.holdfast;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The locks of the current thread: those that it has acquired, and those of asynchronous
 * sections whose code it is starting.
 */
final class ThreadLocks {

	private final ThreadLocal<@Nullable Deque<LockHandle>> sections = new ThreadLocal<>();

	private final LockRegistry registry;

	ThreadLocks(LockRegistry registry) {
		this.registry = registry;
	}

	<T> T within(LockHandle lock, Supplier<T> start) {
		Deque<LockHandle> all = sections();
		all.push(lock);
		this.sections.set(all);
		try {
			return start.get();
		}
		finally {
			all.pop();
			if (all.isEmpty()) {
				this.sections.remove();
			}
		}
	}

	boolean isHeld(String key) {
		return this.registry.isHeldByCurrentThread(key)
				|| sections().stream().anyMatch((lock) -> lock.keys().contains(key) && lock.isHeld());
	}

	boolean isHeldByHandle(String key) {
		return this.registry.held().stream().anyMatch((lock) -> lock.keys().contains(key) && lock.isHeldByHandle());
	}

	Stream<String> keys() {
		Stream<String> acquired = this.registry.held()
			.stream()
			.filter(LockSnapshot::isHeldByCurrentThread)
			.flatMap((lock) -> lock.keys().stream());
		return Stream.concat(acquired, sections().stream().flatMap((lock) -> lock.keys().stream()));
	}

	void ensureHeld() {
		this.registry.ensureHeldByCurrentThread();
		sections().forEach(ThreadLocks::ensureHeld);
	}

	// If the store does not answer, a lock counts as held for the rest of its lease
	static void ensureHeld(LockHandle lock) {
		lock.ensureHeld();
		Duration remaining = lock.remainingLease();
		if (remaining.compareTo(LockRequest.SHORTEST_LEASE) >= 0) {
			try {
				lock.extend(remaining);
			}
			catch (LockUnavailableException ex) {
				// the lease decides
			}
			lock.ensureHeld();
		}
	}

	private Deque<LockHandle> sections() {
		Deque<LockHandle> present = this.sections.get();
		return (present != null) ? present : new ArrayDeque<>(0);
	}

}
