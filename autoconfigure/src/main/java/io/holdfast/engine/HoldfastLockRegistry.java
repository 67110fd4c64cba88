package io.holdfast.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.holdfast.LockHandle;
import io.holdfast.LockListener;
import io.holdfast.LockLostException;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.LockUnavailableException;
import io.holdfast.LockView;
import io.holdfast.LogText;
import io.holdfast.ReadWriteLockView;
import io.holdfast.engine.LockStore.Subscription;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The locks of one instance over a {@link LockStore}.
 *
 * @since 0.1.0
 */
public final class HoldfastLockRegistry implements LockRegistry, AutoCloseable {

	// Longest time between two attempts of a waiter, which is what a missed wake-up costs
	static final Duration POLL = Duration.ofMillis(450);

	// How long a shutdown waits, in any case, for answers that are under way
	private static final Duration LEAST_GRACE = Duration.ofSeconds(1);

	// After which time a request to release a lock by force must not be carried out any
	// more
	private static final Duration FORCED_RELEASE = Duration.ofSeconds(5);

	private final LockStore store;

	private final EngineRuntime runtime;

	private final Background background;

	private final StoreThreads threads;

	private final Shutdown shutdown;

	private final Owner.Factory owners;

	private final Listeners listeners;

	private final Holds holds;

	private final Cleanup cleanup;

	private final Losses losses;

	private final Releases releases;

	private final Renewals renewals;

	private final Watchdog watchdog;

	private final Lines lines;

	private final Acquirer acquirer;

	private final AsyncAcquirer asyncAcquirer;

	private final LockOperations operations;

	private final LockViews views;

	/**
	 * Create a registry.
	 * @param store where the truth about locks is kept
	 * @param settings how locks are treated unless a request says otherwise
	 * @param listeners users' listeners, in this order; obtained when the first event
	 * occurs, so that listeners can use locks themselves
	 * @param events are notified of the engine's events; what one of them throws concerns
	 * neither the engine nor the others
	 */
	public HoldfastLockRegistry(LockStore store, EngineSettings settings, Supplier<List<LockListener>> listeners,
			EngineListener... events) {
		this(store, settings, listeners, events, EngineRuntime.of(MonotonicClock.SYSTEM), POLL);
	}

	HoldfastLockRegistry(LockStore store, EngineSettings settings, Supplier<List<LockListener>> listeners,
			EngineListener[] events, EngineRuntime runtime, Duration poll) {
		Assert.notNull(store, "'store' must not be null");
		Assert.notNull(settings, "'settings' must not be null");
		Assert.notNull(listeners, "'listeners' must not be null");
		Assert.notNull(events, "'events' must not be null");
		this.store = store;
		this.runtime = runtime;
		this.background = new Background(runtime, "holdfast-timer");
		this.threads = new StoreThreads(store::serverOf, this.background);
		AsyncThreads asyncThreads = new AsyncThreads(this.threads, this.background);
		this.shutdown = new Shutdown(runtime);
		this.owners = new Owner.Factory(settings.instanceIds());
		this.listeners = new Listeners(listeners, events, this.background);
		this.holds = new Holds(this.listeners, runtime);
		this.cleanup = new Cleanup(store, this.threads, this.shutdown, runtime);
		this.losses = new Losses(this.holds, this.cleanup, this.listeners, settings.onLost(), this.background,
				store.chooser());
		this.renewals = new Renewals(store, this.threads, this.losses, runtime);
		this.releases = new Releases(store, this.renewals, this.losses, this.cleanup, this.threads, asyncThreads,
				this.listeners, runtime);
		this.watchdog = new Watchdog(this.renewals, this.losses, this.listeners, this.background, settings.warnHold());
		ForcedReleases forcedReleases = new ForcedReleases(store, this.owners, this.holds, this.renewals, this.threads);
		this.lines = new Lines(store, this.cleanup, this.shutdown, this.owners, settings, runtime, poll, forcedReleases,
				this.listeners);
		this.acquirer = new Acquirer(store, settings, runtime, this.shutdown, this.owners, this.lines, this.holds,
				this.watchdog, this.renewals, this.releases, this.losses, this.listeners);
		this.asyncAcquirer = new AsyncAcquirer(this.owners, this.acquirer, this.threads, asyncThreads, this.background);
		this.operations = new LockOperations(store, this.owners, this.holds, this.lines, this.releases, forcedReleases);
		this.views = new LockViews(this.acquirer, runtime, this.renewals, store, this.lines);
	}

	@Override
	public LockView lock(String key) {
		return this.views.view(LockRequest.of(key));
	}

	@Override
	public LockView fairLock(String key) {
		return this.views.view(LockRequest.of(key).fair());
	}

	@Override
	public ReadWriteLockView readWriteLock(String key) {
		return this.views.readWriteView(key);
	}

	@Override
	public LockView multiLock(String... keys) {
		return this.views.view(LockRequest.of(keys));
	}

	/**
	 * Return a view of what a request locks, by which a thread that has lost the lock
	 * cannot acquire it again before it has unlocked it: until then, the methods that
	 * lock throw a {@link LockLostException}.
	 * @param request what to lock and how; its wait does not count
	 * @return the view
	 */
	public LockView viewUntilLost(LockRequest request) {
		Assert.notNull(request, "'request' must not be null");
		return this.views.viewUntilLost(request);
	}

	@Override
	public boolean forceRelease(String key) {
		return releaseByForce(key, null);
	}

	@Override
	public boolean forceRelease(String key, long token) {
		return releaseByForce(key, token);
	}

	private boolean releaseByForce(String key, @Nullable Long token) {
		try {
			return this.operations.forceRelease(key, token, FORCED_RELEASE).isReleased();
		}
		catch (LockStoreException ex) {
			throw new LockUnavailableException(
					"Lock '%s' may not have been released by force: %s".formatted(LogText.of(key), ex.getMessage()),
					ex);
		}
	}

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) {
		Assert.notNull(request, "'request' must not be null");
		LockRequest limited = (request.waitFor() != null) ? request : request.waitFor(Duration.ZERO);
		return Optional.ofNullable(this.acquirer.acquire(null, caller(limited)).handle());
	}

	@Override
	public LockHandle acquireOrThrow(LockRequest request) {
		return this.acquirer.acquire(null, caller(request)).orThrow();
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		Assert.notNull(request, "'request' must not be null");
		return this.asyncAcquirer.acquire(request);
	}

	@Override
	public Collection<LockSnapshot> held() {
		return this.holds.all().stream().map(Hold::snapshot).toList();
	}

	@Override
	public boolean isHeldByCurrentThread(String key) {
		Assert.hasText(key, "A lock's key must not be null or blank");
		return this.acquirer.isHeldByCurrentThread(List.of(key));
	}

	@Override
	public void ensureHeldByCurrentThread() {
		this.renewals.ensureHeld(this.holds.ofCurrentThread());
	}

	private CallingThread caller(LockRequest request) {
		Assert.notNull(request, "'request' must not be null");
		return CallingThread.interruptible(this.runtime, request, this.acquirer.deadline(request));
	}

	/**
	 * Return how this instance is doing, as far as it knows.
	 * @return the status
	 */
	public Status status() {
		return new Status(this.operations.instanceId(), this.holds.count(), this.acquirer.underWay().count(),
				this.lines.waitingCount(), this.renewals.lastRenewal(), this.store.subscription());
	}

	/**
	 * Return the operators' view of the locks.
	 * @return the operations
	 */
	public LockOperations operations() {
		return this.operations;
	}

	/**
	 * Check whether locks can be acquired, by asking the store.
	 * @return the outcome
	 */
	public LockStore.Check check() {
		return this.store.check();
	}

	/**
	 * Let locks be acquired again after a {@link #stop}, under a new identity: the
	 * process may have been copied meanwhile. A new registry is started.
	 */
	public void start() {
		if (this.shutdown.isClosed()) {
			this.owners.renew();
			this.lines.renew();
		}
		this.shutdown.open();
	}

	/**
	 * Limit all waits from now on, whatever limit callers have set; after that they get a
	 * {@link io.holdfast.LockUnavailableException}. Free locks can still be acquired.
	 * Used while other parts of the application finish, before {@link #stop}. Lasts until
	 * the next {@link #start}.
	 * @param atMost the longest wait from now on
	 */
	public void limitWaits(Duration atMost) {
		Assert.notNull(atMost, "'atMost' must not be null");
		this.shutdown.limitWaits(atMost);
		this.lines.wakeAllCallers();
	}

	/**
	 * Refuse new acquisitions, send waiting callers away with a
	 * {@link io.holdfast.LockUnavailableException}, let holders release their locks
	 * within the grace, then release the remaining ones and report them as lost. Those of
	 * a thread that waits for this itself, since it calls this method or
	 * {@link System#exit}, are not waited for and no loss. Renewals continue until then.
	 * Takes up to four seconds longer than the grace when the store hangs, and up to
	 * twelve seconds longer when it answers slowly, plus one for each thousand remaining
	 * locks. Locks whose release does not reach the store expire with their leases.
	 * @param grace how long to wait for held locks to be released
	 */
	public void stop(Duration grace) {
		Assert.notNull(grace, "'grace' must not be null");
		long end = this.runtime.nanos() + MonotonicClock.toNanos(grace);
		this.shutdown.close();
		try {
			this.lines.wakeAllCallers();
			this.holds.awaitNone(grace);
			Duration left = Duration.ofNanos(end - this.runtime.nanos());
			awaitAnswers((left.compareTo(LEAST_GRACE) > 0) ? left : LEAST_GRACE);
			this.store.stopListening();
		}
		finally {
			finish();
		}
	}

	private void awaitAnswers(Duration atMost) {
		long begin = this.runtime.nanos();
		this.acquirer.underWay().awaitNone(atMost);
		this.releases.awaitNone(atMost.minusNanos(this.runtime.nanos() - begin));
		this.threads.awaitAttempts(atMost.minusNanos(this.runtime.nanos() - begin));
	}

	// What fails after the background was stopped is repeated there again
	private void finish() {
		ShutdownTasks tasks = new ShutdownTasks(this.runtime);
		try {
			releaseAll(tasks);
		}
		finally {
			stopBackground();
		}
		this.cleanup.clearAll(tasks);
		this.listeners.awaitTold(LEAST_GRACE);
	}

	private void releaseAll(ShutdownTasks tasks) {
		List<BooleanSupplier> releases = new ArrayList<>();
		for (Hold hold : this.holds.all()) {
			if (hold.waitsForShutdown()) {
				releases.add(() -> this.releases.releaseInShutdown(hold));
			}
			else {
				revoke(hold);
			}
		}
		tasks.run(releases);
	}

	// Its minHold still counts
	private void revoke(Hold hold) {
		this.losses.lose(hold, "the application is shutting down");
		hold.endGrant((id) -> this.cleanup.releaseInShutdown(id, hold.mayLastUntil(), hold.keptFor()));
		this.losses.ended(hold);
	}

	void stopBackground() {
		this.background.stop();
		this.watchdog.stop();
	}

	/**
	 * {@link #stop Stop} without grace. For a context that fails to start: it is closed
	 * without having been stopped, and may have used locks.
	 */
	@Override
	public void close() {
		stop(Duration.ZERO);
		this.runtime.endIdleThreads();
	}

	/**
	 * How an instance is doing, as far as it knows without asking the store.
	 *
	 * @param instanceId identity of the instance
	 * @param held how many locks it holds
	 * @param acquiring how many callers are acquiring a lock, waiting ones included
	 * @param waiting how many of them wait
	 * @param lastRenewal when the store last renewed a lease, or {@code null} when it has
	 * renewed none yet
	 * @param subscription whether wake-ups arrive
	 * @since 0.1.0
	 */
	public record Status(String instanceId, int held, int acquiring, int waiting, @Nullable Instant lastRenewal,
			Subscription subscription) {
	}

}
