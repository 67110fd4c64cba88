package io.holdfast.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

import io.holdfast.engine.EngineListener.LockWait;
import io.holdfast.engine.StoreView.ForcedRelease;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Operators' view of this instance and of all locks, and what they can change.
 *
 * @since 0.1.0
 */
public final class LockOperations {

	private final LockStore store;

	private final Owner.Factory owners;

	private final Holds holds;

	private final Lines lines;

	private final Releases releases;

	private final ForcedReleases forcedReleases;

	LockOperations(LockStore store, Owner.Factory owners, Holds holds, Lines lines, Releases releases,
			ForcedReleases forcedReleases) {
		this.store = store;
		this.owners = owners;
		this.holds = holds;
		this.lines = lines;
		this.releases = releases;
		this.forcedReleases = forcedReleases;
	}

	/**
	 * Return the id of this instance among all that share the store: another one after
	 * each start.
	 * @return its id
	 */
	public String instanceId() {
		return this.owners.instanceId();
	}

	/**
	 * Return the locks that this instance holds. The store is not asked.
	 * @return the locks
	 */
	public Collection<? extends EngineListener.HeldLock> heldLocks() {
		return this.holds.all();
	}

	/**
	 * Return for how long the oldest of them has been held, or {@code null} if there are
	 * none.
	 * @return how long
	 */
	public @Nullable Duration oldestHold() {
		return this.holds.oldest();
	}

	/**
	 * Return the callers of this instance that wait, the longest first. The store is not
	 * asked.
	 * @return the callers
	 */
	public List<LockWait> waiting() {
		return this.lines.waiting()
			.stream()
			.map(Acquisition::snapshot)
			.sorted(Comparator.comparing(LockWait::waited).reversed())
			.toList();
	}

	/**
	 * Return the view of all instances' locks.
	 * @return the view
	 */
	public StoreView view() {
		return this.store.view();
	}

	/**
	 * Release a lock of this instance in place of its owner, which does not do so any
	 * more: for the end of a test. All of its handles are released, and the keys are not
	 * kept for {@link io.holdfast.LockRequest#minHold()}.
	 * @param lock one of the {@link #heldLocks()}; nothing happens if it has ended
	 */
	public void releaseForOwner(EngineListener.HeldLock lock) {
		Assert.notNull(lock, "'lock' must not be null");
		this.holds.all()
			.stream()
			.filter((hold) -> hold == lock)
			.flatMap((hold) -> hold.openEntries().stream())
			.forEach(this.releases::releaseUnused);
	}

	/**
	 * Release a lock by force, in whatever instance it is held: an operator's last
	 * resort. Its holders are notified of the loss. A caller that is granted the lock
	 * meanwhile keeps it.
	 * @param key the key
	 * @param token the fencing token of the only hold to release, or {@code null} for all
	 * @param within the time after which the lock must not be released any more
	 * @return what was released
	 * @throws io.holdfast.engine.LockStoreException when the store does not answer in
	 * time
	 */
	public ForcedRelease forceRelease(String key, @Nullable Long token, Duration within) {
		Assert.hasText(key, "A lock's key must not be null or blank");
		Assert.notNull(within, "'within' must not be null");
		return this.forcedReleases.release(key, token, within);
	}

}
