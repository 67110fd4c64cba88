package io.holdfast;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

import org.springframework.util.Assert;

/**
 * Checks that code runs under its lock, in tests or where the code relies on its callers
 * to hold it.
 *
 * <p>
 * Sees the locks of all registries in this JVM for which there is a {@link LockTemplate},
 * of whichever application. Answers from memory: Redis is not asked.
 *
 * @since 0.1.0
 */
public final class LockAssert {

	/**
	 * Shared by all applications in the JVM, since a static method cannot know whose it
	 * is called for. Keeps none of them from being collected.
	 */
	private static final List<WeakReference<ThreadLocks>> locks = new CopyOnWriteArrayList<>();

	private LockAssert() {
	}

	/**
	 * Check that the current thread holds a lock. A lock that was given up in a
	 * transaction is held until that has completed. A lock owned by its
	 * {@linkplain LockRequest#ownedByHandle() handle} is held by no thread; that of an
	 * asynchronous method is, while the method itself runs.
	 * @param key the key as it is locked, with the lock's name in front when it has one:
	 * {@code name:key}
	 * @throws IllegalStateException when the current thread holds the lock in no mode
	 * @throws IllegalArgumentException when the key is {@code null} or blank
	 */
	public static void assertHeld(String key) {
		Assert.hasText(key, "The key to be held must not be null or blank");
		List<ThreadLocks> known = known();
		if (known.stream().noneMatch((locks) -> locks.isHeld(key))) {
			throw new IllegalStateException(
					"Lock '%s' is not held by thread '%s', which holds %s".formatted(LogText.of(key),
							LogText.of(Thread.currentThread().getName()), LogText.of(heldByCurrentThread(known))));
		}
	}

	/**
	 * Have locks seen for as long as another object refers to them.
	 */
	static void see(ThreadLocks added) {
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

}
