package io.holdfast.engine;

import java.lang.invoke.MethodHandles;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockInterruptedException;
import io.holdfast.LockListener;
import io.holdfast.LockMode;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.LogText;
import io.holdfast.NotAcquiredReason;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.runtime.EngineRuntime;
import io.holdfast.engine.runtime.MonotonicClock;
import io.holdfast.engine.store.LockStore;
import io.holdfast.engine.store.LockStore.Subscription;
import io.holdfast.engine.store.LockStoreException;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.util.Assert;

/**
 * The locks of one instance over a {@link LockStore}.
 *
 * @since 0.1.0
 */
public final class HoldfastLockRegistry implements LockRegistry, AutoCloseable {

	/**
	 * How long a shutdown waits, in any case, for answers of the store that are under
	 * way.
	 */
	private static final Duration LEAST_GRACE = Duration.ofSeconds(1);

	static {
		initialize(AsyncCaller.class, AsyncCaller.State.class, Clearing.class, Hold.State.class, Lease.class,
				LockMode.class, NotAcquiredReason.class, Overtime.class, ReleaseResult.class, Line.class,
				Subscription.class, Cleanup.class, Outage.class);
	}

	private final Engine engine;

	private final Acquirer acquirer;

	private final AsyncAcquirer asyncAcquirer;

	private final ThreadHandles handles = new ThreadHandles();

	private final LockOperations operations;

	/**
	 * Create a registry.
	 * @param store where the truth about locks is kept
	 * @param settings how locks are treated unless a request says otherwise
	 * @param listeners whom to tell, in this order; asked for when there is first
	 * something to tell, so that listeners can use locks themselves
	 */
	public HoldfastLockRegistry(LockStore store, EngineSettings settings, Supplier<List<LockListener>> listeners) {
		this(store, settings, listeners, EngineRuntime.of(MonotonicClock.SYSTEM));
	}

	HoldfastLockRegistry(LockStore store, EngineSettings settings, Supplier<List<LockListener>> listeners,
			EngineRuntime runtime) {
		this(store, settings, listeners, runtime, EnginePace.STEADY);
	}

	HoldfastLockRegistry(LockStore store, EngineSettings settings, Supplier<List<LockListener>> listeners,
			EngineRuntime runtime, EnginePace pace) {
		Assert.notNull(store, "'store' must not be null");
		Assert.notNull(settings, "'settings' must not be null");
		Assert.notNull(listeners, "'listeners' must not be null");
		this.engine = new Engine(store, settings, listeners, runtime, pace);
		this.acquirer = new Acquirer(this.engine);
		this.asyncAcquirer = new AsyncAcquirer(this.engine, this.acquirer);
		this.operations = new LockOperations(this.engine);
	}

	/**
	 * Initialize classes that callers would be the first to use. Their threads may be
	 * short of stack or memory, and a class that could not be initialized once never is.
	 */
	private static void initialize(Class<?>... classes) {
		try {
			for (Class<?> type : classes) {
				MethodHandles.lookup().ensureInitialized(type);
			}
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public Lock lock(String key) {
		return view(LockRequest.of(key));
	}

	@Override
	public Lock fairLock(String key) {
		return view(LockRequest.of(key).fair());
	}

	@Override
	public ReadWriteLock readWriteLock(String key) {
		return new ReadWriteView(view(LockRequest.of(key).shared()), view(LockRequest.of(key)));
	}

	@Override
	public Lock multiLock(String... keys) {
		return view(LockRequest.of(keys));
	}

	private Lock view(LockRequest request) {
		return new LockView(request, this.acquirer, this.engine, this.handles);
	}

	@Override
	public Optional<LockHandle> acquire(LockRequest request) {
		return Optional.ofNullable(ask(request).handle());
	}

	@Override
	public LockHandle acquireOrThrow(LockRequest request) {
		return ask(request).orThrow();
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		Assert.notNull(request, "'request' must not be null");
		return this.asyncAcquirer.acquire(request, deadline(request));
	}

	@Override
	public Collection<LockSnapshot> held() {
		return this.engine.holds().all().stream().map(Hold::snapshot).toList();
	}

	@Override
	public boolean isHeldByCurrentThread(String key) {
		Assert.hasText(key, "A lock's key must not be null or blank");
		return this.engine.holds()
			.find(List.of(key), this.engine.owners().currentThread())
			.keySet()
			.stream()
			.anyMatch(Hold::isHeld);
	}

	@Override
	public void ensureHeldByCurrentThread() {
		this.engine.holdChecks().ensureHeldByCurrentThread();
	}

	/**
	 * Give up a lock without waiting for the store, which is told in the background. A
	 * handle of another registry's making is {@linkplain LockHandle#release() released}.
	 * @param handle the acquisition to give up
	 */
	public static void releaseAside(LockHandle handle) {
		Assert.notNull(handle, "'handle' must not be null");
		if (handle instanceof HoldHandle single) {
			single.releaseAside();
		}
		else if (handle instanceof JointHandle joint) {
			joint.releaseAside();
		}
		else {
			handle.release();
		}
	}

	/**
	 * Note that nothing has been done under a lock that was acquired asynchronously, and
	 * is about to be released: its keys are not kept then, whatever
	 * {@link LockRequest#minHold()} says. Does not wait for Redis. Any other handle is
	 * left alone.
	 * @param handle the acquisition that is not needed
	 */
	public static void noteUnused(LockHandle handle) {
		Assert.notNull(handle, "'handle' must not be null");
		if (handle instanceof HoldHandle single) {
			single.noteUnused();
		}
	}

	Engine engine() {
		return this.engine;
	}

	private Acquirer.Result ask(LockRequest request) {
		Assert.notNull(request, "'request' must not be null");
		try {
			return this.acquirer.acquire(request,
					CallingThread.interruptible(this.engine.runtime(), deadline(request)));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockInterruptedException(LogText.keys(request.lockKeys()), ex);
		}
	}

	private Deadline deadline(LockRequest request) {
		Duration waitFor = (request.waitFor() != null) ? request.waitFor() : this.engine.settings().waitFor();
		return new Deadline(this.engine.runtime(), waitFor, this.engine.shutdown());
	}

	/**
	 * Return how this instance is doing, as far as it knows.
	 * @return the status
	 */
	public EngineStatus status() {
		Collection<Hold> holds = this.engine.holds().all();
		return new EngineStatus(this.engine.settings().instanceId(), holds.size(), this.engine.acquisitions().count(),
				this.engine.waits().count(),
				holds.stream().map(Hold::heldFor).max(Comparator.naturalOrder()).orElse(null),
				this.engine.watchdog().lastRenewal(), this.engine.store().subscription());
	}

	/**
	 * Return what operators see of the locks, and do to them.
	 * @return the operations
	 */
	public LockOperations operations() {
		return this.operations;
	}

	/**
	 * Ask the store for a sign of life.
	 * @throws LockStoreException when there is none
	 */
	public void ping() {
		this.engine.store().ping();
	}

	/**
	 * Ask each of the servers that decide together for a sign of life.
	 * @return their names, each with {@code UP} or what is wrong with it; none when there
	 * is but one place to ask
	 */
	public Map<String, String> nodes() {
		Map<String, String> nodes = new LinkedHashMap<>();
		for (LockStore.NodeStatus node : this.engine.store().nodes()) {
			LockStoreException failure = node.failure();
			nodes.put(node.name(), (failure != null)
					? String.valueOf(NestedExceptionUtils.getMostSpecificCause(failure).getMessage()) : "UP");
		}
		return nodes;
	}

	/**
	 * Let locks be acquired again after a {@link #stop}. A new registry is started.
	 */
	public void start() {
		this.engine.open();
	}

	/**
	 * Let callers wait for locks until some time from now, and no longer, whatever limit
	 * they have set: then they are sent away with a
	 * {@link io.holdfast.LockUnavailableException}. Locks that are free can still be had.
	 * For a shutdown that lets others finish what they do before it comes to
	 * {@link #stop}. Until the next {@link #start}.
	 * @param atMost how long they may wait
	 */
	public void limitWaits(Duration atMost) {
		Assert.notNull(atMost, "'atMost' must not be null");
		this.engine.limitWaits(atMost);
	}

	/**
	 * Refuse new acquisitions, send waiting callers away with a
	 * {@link io.holdfast.LockUnavailableException}, let held locks be released in good
	 * order, then take back those that are left, and have their losses told. Renewals go
	 * on until then. Takes up to four seconds longer than the grace when the store hangs.
	 * A store that answers slowly makes it twelve seconds longer at the most, and one
	 * more for each thousand locks that are left. Locks that it could not be told of are
	 * free at the end of their leases.
	 * @param grace how long to wait for held locks to be released
	 */
	public void stop(Duration grace) {
		Assert.notNull(grace, "'grace' must not be null");
		long end = this.engine.runtime().nanos() + MonotonicClock.toNanos(grace);
		this.engine.close();
		try {
			this.engine.holds().awaitNone(grace);
			Duration left = Duration.ofNanos(end - this.engine.runtime().nanos());
			this.engine.awaitAnswers((left.compareTo(LEAST_GRACE) > 0) ? left : LEAST_GRACE);
			this.engine.store().stopListening();
		}
		finally {
			finish();
		}
	}

	private void finish() {
		try {
			this.engine.takeBackAll();
			this.engine.listeners().awaitTold(LEAST_GRACE);
		}
		finally {
			this.engine.stopBackground();
		}
	}

	/**
	 * {@link #stop Stop} without grace, unless that has been done. For a context that
	 * fails to start: it is closed without having been stopped, and may have used locks.
	 */
	@Override
	public void close() {
		stop(Duration.ZERO);
	}

	/**
	 * The shared and the exclusive lock of a key.
	 */
	private record ReadWriteView(Lock readLock, Lock writeLock) implements ReadWriteLock {
	}

}
