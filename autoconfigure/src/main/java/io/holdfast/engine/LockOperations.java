package io.holdfast.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.holdfast.engine.EngineListener.LockWait;
import io.holdfast.engine.store.LockStore;
import io.holdfast.engine.store.StoreView;
import io.holdfast.engine.store.StoreView.ForcedRelease;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * What operators see of an instance and of the locks of all, and what they do to them.
 *
 * @since 0.1.0
 */
public final class LockOperations {

	private final LockStore store;

	private final String instanceId;

	private final Holds holds;

	private final Lines lines;

	private final Watchdog watchdog;

	private final ForcedReleases forcedReleases;

	LockOperations(LockStore store, String instanceId, Holds holds, Lines lines, Watchdog watchdog,
			ForcedReleases forcedReleases) {
		this.store = store;
		this.instanceId = instanceId;
		this.holds = holds;
		this.lines = lines;
		this.watchdog = watchdog;
		this.forcedReleases = forcedReleases;
	}

	/**
	 * Return what names this instance among all that share the store.
	 * @return its id
	 */
	public String instanceId() {
		return this.instanceId;
	}

	/**
	 * Return the locks that this instance holds. The store is not asked.
	 * @return the locks
	 */
	public Collection<? extends EngineListener.HeldLock> heldLocks() {
		return this.holds.all();
	}

	/**
	 * Return how many locks this instance holds: as many as
	 * {@link HoldfastLockRegistry#held()} tells of.
	 * @return their number
	 */
	public int heldCount() {
		return this.holds.count();
	}

	/**
	 * Return how many locks this instance retains without using them.
	 * @return their number
	 */
	public int retainedCount() {
		return this.lines.retention().count();
	}

	/**
	 * Return how many callers of this instance have to wait: as many as
	 * {@link #waiting()} tells of.
	 * @return their number
	 */
	public int waitingCount() {
		return this.lines.waiting().size();
	}

	/**
	 * Return how many callers of this instance have to wait for one of some keys.
	 * @param keys the keys
	 * @return their number
	 */
	public long waitingCount(List<String> keys) {
		Assert.notNull(keys, "'keys' must not be null");
		return this.lines.waiting().stream().filter((caller) -> caller.isForOneOf(keys)).count();
	}

	/**
	 * Return who holds locks and waits for them in this instance. The store is not asked.
	 * @return names of the threads that asked, by the owner's id
	 */
	public Map<String, String> threadNames() {
		Map<String, String> names = new HashMap<>();
		Stream.concat(this.holds.owners(), this.lines.waiting().stream().map(Acquisition::owner))
			.forEach((owner) -> names.put(owner.id(), owner.threadName()));
		return names;
	}

	/**
	 * Return the callers of this instance that have to wait, the longest first. The store
	 * is not asked.
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
	 * Return how many renewals have gone through, and how many have not, since the
	 * instance began.
	 * @return the counts
	 */
	public RenewalCounts renewals() {
		return new RenewalCounts(this.watchdog.renewed(), this.watchdog.failed());
	}

	/**
	 * Return what can be seen of all instances' locks.
	 * @return the view
	 */
	public StoreView view() {
		return this.store.view();
	}

	/**
	 * Listen to what the store tells from now on, rather than from the first wait: so
	 * that the loss of a lock that an operator releases is told at once, and not when it
	 * is to be renewed.
	 */
	public void listen() {
		this.lines.listen();
	}

	/**
	 * Release a lock by force, in whatever instance it is held: an operator's last
	 * resort. Holders are told that they have lost it. A caller that is granted it
	 * meanwhile keeps it.
	 * @param key the key
	 * @param token the fencing token of the only hold to release, or {@code null} for all
	 * that there are
	 * @param within the time after which nothing is changed any more
	 * @return what was released
	 * @throws io.holdfast.engine.store.LockStoreException when the store cannot be asked,
	 * or not in time
	 */
	public ForcedRelease forceRelease(String key, @Nullable Long token, Duration within) {
		Assert.hasText(key, "A lock's key must not be null or blank");
		Assert.notNull(within, "'within' must not be null");
		return this.forcedReleases.release(key, token, within);
	}

	/**
	 * Release a lock by force that is held at the moment.
	 * @param key the key
	 * @return what was released
	 * @throws io.holdfast.engine.store.LockStoreException when the store cannot be asked,
	 * or not in ten seconds
	 */
	public ForcedRelease forceRelease(String key) {
		return forceRelease(key, null, Duration.ofSeconds(10));
	}

	/**
	 * How many renewals of holds there were.
	 *
	 * @param renewed how many have gone through
	 * @param failed how many the store could not be asked for
	 * @since 0.1.0
	 */
	public record RenewalCounts(long renewed, long failed) {

	}

}
