package io.holdfast.shedlock;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.holdfast.LockHandle;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.LogText;
import io.holdfast.engine.EngineHandle;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

import org.springframework.util.Assert;

/**
 * Holdfast's locks for ShedLock.
 *
 * <p>
 * The lock {@code report} of ShedLock is the lock {@value #NAME}{@code :report}, whose
 * {@linkplain LockRequest name} is {@value #NAME}. {@code lockAtMostFor} is its lease (at
 * least {@link LockRequest#SHORTEST_LEASE}), {@code lockAtLeastFor} its
 * {@link LockRequest#minHold(Duration) minHold}; after an extension, that of the
 * extension counts, from then on (not with a registry of the user's own). There is one
 * try and no wait. Any thread may unlock.
 *
 * @since 0.1.0
 */
public final class HoldfastLockProvider implements ExtensibleLockProvider {

	/**
	 * The name of all locks of ShedLock.
	 */
	public static final String NAME = "shedlock";

	private final LockRegistry registry;

	private final boolean renew;

	private final Set<HeldLock> held = ConcurrentHashMap.newKeySet();

	/**
	 * Create a provider.
	 * @param registry acquires the locks
	 * @param renew whether locks are renewed until they are unlocked; if not,
	 * {@code lockAtMostFor} is a hard limit
	 */
	public HoldfastLockProvider(LockRegistry registry, boolean renew) {
		Assert.notNull(registry, "'registry' must not be null");
		this.registry = registry;
		this.renew = renew;
	}

	/**
	 * Acquire a lock if it is free.
	 * @param lockConfiguration what to lock, and for how long
	 * @return the lock, or empty when it is not free
	 * @throws IllegalArgumentException when {@code lockAtMostFor} is longer than
	 * {@link LockRequest#LONGEST_LEASE}
	 * @throws LockUnavailableException when Redis does not answer
	 */
	@Override
	public Optional<SimpleLock> lock(LockConfiguration lockConfiguration) {
		Assert.notNull(lockConfiguration, "'lockConfiguration' must not be null");
		LockRequest request = LockRequest.of(lockConfiguration.getName())
			.name(NAME)
			.lease(lease(lockConfiguration))
			.minHold(lockConfiguration.getLockAtLeastFor())
			.autoRenew(this.renew)
			.waitFor(Duration.ZERO)
			.ownedByHandle();
		return this.registry.tryAcquire(request).map((handle) -> {
			if (handle instanceof EngineHandle engineHandle) {
				engineHandle.noteUser(); // which runs the task
			}
			return held(lockConfiguration, handle, Thread.currentThread());
		});
	}

	/**
	 * Return the fencing token of a task that the current thread runs. A task reads it
	 * first of all, and passes it to whatever it writes to.
	 * @param task the name of the task, as ShedLock knows it
	 * @return the token; it only grows from one run to the next
	 * @throws IllegalMonitorStateException when the current thread has not acquired the
	 * lock of that task, or has lost it
	 */
	public long fencingToken(String task) {
		Thread thread = Thread.currentThread();
		return this.held.stream()
			.filter((lock) -> lock.isOf(task, thread))
			.findFirst()
			.orElseThrow(() -> new IllegalMonitorStateException("The lock of the task '%s' is not held by thread '%s'"
				.formatted(LogText.of(task), LogText.of(thread.getName())))).handle
			.fencingToken();
	}

	private SimpleLock held(LockConfiguration configuration, LockHandle handle, Thread thread) {
		HeldLock lock = new HeldLock(configuration, handle, thread);
		this.held.removeIf((other) -> !other.handle.isHeld());
		this.held.add(lock);
		return lock;
	}

	// ShedLock also allows less than any lease, and zero
	private static Duration lease(LockConfiguration configuration) {
		Duration atMost = configuration.getLockAtMostFor();
		return (atMost.compareTo(LockRequest.SHORTEST_LEASE) > 0) ? atMost : LockRequest.SHORTEST_LEASE;
	}

	private final class HeldLock extends AbstractSimpleLock {

		private final LockHandle handle;

		private final Thread thread;

		HeldLock(LockConfiguration configuration, LockHandle handle, Thread thread) {
			super(configuration);
			this.handle = handle;
			this.thread = thread;
		}

		boolean isOf(String task, Thread candidate) {
			return this.thread == candidate && this.lockConfiguration.getName().equals(task) && this.handle.isHeld();
		}

		/**
		 * A loss is reported when it is noticed, and must not hide how the task ended.
		 */
		@Override
		protected void doUnlock() {
			HoldfastLockProvider.this.held.remove(this);
			this.handle.release();
		}

		@Override
		protected Optional<SimpleLock> doExtend(LockConfiguration extended) {
			if (!this.handle.extend(lease(extended))) {
				// The store may have it for longer, and ShedLock unlocks it no more
				this.handle.release();
				return Optional.empty();
			}
			// Those of a user's own registry keep what the start has asked for
			if (this.handle instanceof EngineHandle engineHandle) {
				engineHandle.keepFor(extended.getLockAtLeastFor());
			}
			SimpleLock lock = held(extended, this.handle, this.thread);
			HoldfastLockProvider.this.held.remove(this);
			return Optional.of(lock);
		}

	}

}
