package io.holdfast;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

import org.springframework.util.Assert;

/**
 * Checks that code runs under its lock: in tests, or where the caller must hold it.
 *
 * <p>
 * Knows the locks of every registry in this JVM that has a {@link LockTemplate}. Answers
 * from memory, without a request to the store.
 *
 * @since 0.1.0
 */
public final class LockAssert {

	// Of all applications in the JVM, since a static method cannot know which one calls
	// it. Does not prevent their garbage collection
	private static final List<WeakReference<ThreadLocks>> locks = new CopyOnWriteArrayList<>();

	private LockAssert() {
	}

	/**
	 * Check that the current thread holds a lock. A lock that was released in a
	 * transaction is held until the transaction has completed. No thread holds a lock
	 * that is owned by its {@linkplain LockRequest#ownedByHandle() handle}, except for
	 * the lock of an asynchronous method while the method itself runs: what a publisher
	 * or a future does later calls {@link LockHandle#ensureHeld()}.
	 * @param key the key as it is locked, with the lock's name in front when it has one:
	 * {@code name:key}
	 * @throws IllegalStateException when the current thread does not hold the lock
	 * @throws IllegalArgumentException when the key is {@code null} or blank
	 */
	public static void assertHeld(String key) {
		Assert.hasText(key, "The key to be held must not be null or blank");
		List<ThreadLocks> known = known();
		if (known.stream().noneMatch((locks) -> locks.isHeld(key))) {
			throw new IllegalStateException("Lock '%s' is not held by thread '%s', which holds %s%s".formatted(
					LogText.of(key), LogText.of(Thread.currentThread().getName()),
					LogText.of(heldByCurrentThread(known)), hint(key, known)));
		}
	}

	// Add locks; they are forgotten when no other object refers to them
	static void register(ThreadLocks added) {
		locks.removeIf((known) -> known.refersTo(null));
		locks.add(new WeakReference<>(added));
	}

	private static List<ThreadLocks> known() {
		return locks.stream().map(WeakReference::get).filter(Objects::nonNull).toList();
	}

	private static String heldByCurrentThread(List<ThreadLocks> known) {
		List<String> keys = known.stream().flatMap(ThreadLocks::keys).distinct().toList();
		return keys.isEmpty() ? "no lock" : "'" + String.join("', '", keys) + "'";
	}

	private static String hint(String key, List<ThreadLocks> known) {
		if (known.stream().anyMatch((locks) -> locks.isHeldByHandle(key))) {
			return ". Its LockHandle holds it, as in a publisher or a future: call LockHandle.ensureHeld()";
		}
		boolean none = known.stream().flatMap(ThreadLocks::keys).findAny().isEmpty();
		return none ? " (was the method called from within its own bean, past the proxy?)" : "";
	}

}
