package io.holdfast.test;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

import io.holdfast.LockSnapshot;
import io.holdfast.engine.EngineListener.HeldLock;
import io.holdfast.engine.LockOperations;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.StoreView;
import org.jspecify.annotations.Nullable;

/**
 * Compares the locks that an instance holds after a test with those before, and frees
 * what the test has left.
 */
final class LockCheck {

	// For code on other threads that still runs after the test
	private static final Duration GRACE = Duration.ofSeconds(5);

	private static final long POLL_NANOS = Duration.ofMillis(5).toNanos();

	private static final Duration STORE_TIMEOUT = Duration.ofSeconds(1);

	private final LockOperations operations;

	private final @Nullable AcquisitionPlaces places;

	private final Set<HeldLock> before;

	LockCheck(LockOperations operations, @Nullable AcquisitionPlaces places) {
		this.operations = operations;
		this.places = places;
		this.before = new HashSet<>(operations.heldLocks());
	}

	// Returns a description of each lock
	List<String> releaseLeaked() {
		Collection<HeldLock> leaked = leaked();
		long start = System.nanoTime();
		while (leaked.stream().anyMatch((lock) -> !isOfCurrentThread(lock))
				&& System.nanoTime() - start < GRACE.toNanos()) {
			LockSupport.parkNanos(this, POLL_NANOS);
			leaked = leaked();
		}
		List<String> descriptions = leaked.stream().map(this::describe).toList();
		leaked.forEach(this.operations::releaseForOwner);
		return descriptions;
	}

	void release() {
		leaked().forEach(this.operations::releaseForOwner);
		freeKept();
	}

	private Collection<HeldLock> leaked() {
		return this.operations.heldLocks()
			.stream()
			.filter((lock) -> lock.isOpen() && !this.before.contains(lock))
			.collect(Collectors.toList());
	}

	private static boolean isOfCurrentThread(HeldLock lock) {
		return lock.id().owner().endsWith(":" + Thread.currentThread().getId());
	}

	private String describe(HeldLock held) {
		LockSnapshot lock = held.snapshot();
		Object place = (this.places != null) ? this.places.of(held) : null;
		return "'%s', acquired by thread '%s' (owner %s)%s".formatted(String.join("', '", lock.keys()),
				lock.threadName(), lock.owner(), (place != null) ? " at " + place : "");
	}

	// By minHold, after the release
	void freeKept() {
		StoreView view = this.operations.view();
		try {
			view.look(List.copyOf(view.heldKeys(Integer.MAX_VALUE, STORE_TIMEOUT).keys()))
				.forEach((state) -> state.holders()
					.stream()
					.filter(this::isKeptHere)
					.forEach((holder) -> view.forceRelease(state.key(), holder.token(), STORE_TIMEOUT)));
		}
		catch (LockStoreException ex) {
			// The test may have stopped its Redis: locks end with their leases
		}
	}

	private boolean isKeptHere(StoreView.Holder holder) {
		return holder.kept() && holder.owner().startsWith(this.operations.instanceId() + ":");
	}

	static AssertionError failure(List<String> leaked) {
		return new AssertionError("%s still held after the test: %s. "
			.formatted((leaked.size() == 1) ? "A lock is" : "Locks are", String.join("; ", leaked))
				+ "Close the handle or unlock the view, also when the test fails (try-with-resources, finally), "
				+ "and let the test wait for code on other threads. "
				+ "What was left is released now, for the tests that follow.");
	}

}
