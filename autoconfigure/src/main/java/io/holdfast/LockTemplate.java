package io.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;

/**
 * Runs code under a lock, and acquires locks for code that releases them itself.
 *
 * <p>
 * An exception of the code takes precedence, except at a commit: a failure of the lock is
 * added to it as {@linkplain Throwable#addSuppressed suppressed}. If the code ends
 * normally and the lock was lost meanwhile, the caller gets a {@link LockLostException}
 * instead of the result, unless losses are {@link OnLost#LOG logged} only.
 *
 * <p>
 * By default, a template keeps a lock that is acquired in a transaction until the
 * transaction has completed, with a commit or a rollback: otherwise the next holder could
 * miss what was written under the lock. A handle that is {@linkplain LockHandle#release()
 * released} earlier is no longer {@linkplain LockHandle#isHeld() held}, cannot be
 * extended and reports no loss. The thread continues to hold the lock
 * ({@link ReleaseResult#STILL_HELD}) or has lost it ({@link ReleaseResult#LOST}). The
 * transaction is the one that the thread is in when it acquires the lock, not a suspended
 * or reactive one: for that, there is {@code ReactiveLockTemplate}. This applies to each
 * nested acquisition separately: one that was made before the transaction is released at
 * once. So are locks from a {@link LockRegistry}.
 *
 * <p>
 * A thread that must not block, as those of Reactor's event loops, gets an
 * {@link IllegalStateException} from the methods that would block it: all but those that
 * return a {@link CompletableFuture}.
 *
 * @since 0.1.0
 * @see DistributedLock
 */
public class LockTemplate {

	// Classes that use transactions are loaded only then
	private static final boolean TRANSACTIONS_PRESENT = ClassUtils.isPresent(
			"org.springframework.transaction.support.TransactionSynchronizationManager",
			LockTemplate.class.getClassLoader());

	private final LockRegistry registry;

	private final OnLost onLost;

	private final boolean releaseAfterTransaction;

	private final BiFunction<LockHandle, LockRequest, LockHandle> transactionBinding;

	private final ThreadLocks threadLocks;

	private final @Nullable Function<LockRequest, Observation> observations;

	private final AtomicBoolean observationFailureLogged = new AtomicBoolean();

	/**
	 * Create a template that throws when a lock is lost, and keeps locks that are
	 * acquired in a transaction until the transaction has completed.
	 * @param registry where locks come from
	 */
	public LockTemplate(LockRegistry registry) {
		this(registry, OnLost.THROW);
	}

	/**
	 * Create a template that keeps locks that are acquired in a transaction until the
	 * transaction has completed.
	 * @param registry where locks come from
	 * @param onLost what to do when a lock was lost while code ran under it
	 */
	public LockTemplate(LockRegistry registry, OnLost onLost) {
		this(registry, onLost, true);
	}

	/**
	 * Create a template.
	 * @param registry where locks come from
	 * @param onLost what to do when a lock was lost while code ran under it
	 * @param releaseAfterTransaction whether to keep locks that are acquired in a
	 * transaction until it has completed
	 */
	public LockTemplate(LockRegistry registry, OnLost onLost, boolean releaseAfterTransaction) {
		this(registry, onLost, releaseAfterTransaction, null);
	}

	/**
	 * Create a template whose sections are observed.
	 * @param registry where locks come from
	 * @param onLost what to do when a lock was lost while code ran under it
	 * @param releaseAfterTransaction whether to keep locks that are acquired in a
	 * transaction until it has completed
	 * @param observations makes the observation of code that is to run under a lock,
	 * which starts when that is held; {@code null} for no observations. Finds the
	 * {@link LockHandle} in the context, by its class
	 */
	public LockTemplate(LockRegistry registry, OnLost onLost, boolean releaseAfterTransaction,
			@Nullable Function<LockRequest, Observation> observations) {
		Assert.notNull(registry, "'registry' must not be null");
		Assert.notNull(onLost, "'onLost' must not be null");
		this.registry = registry;
		this.threadLocks = new ThreadLocks(registry);
		this.onLost = onLost;
		this.releaseAfterTransaction = releaseAfterTransaction && TRANSACTIONS_PRESENT;
		this.transactionBinding = this.releaseAfterTransaction ? TransactionBoundHandle::bind : (lock, request) -> lock;
		this.observations = observations;
		LockAssert.register(this.threadLocks);
	}

	/**
	 * Run code under the exclusive lock of a key, with the configured defaults.
	 * @param <T> type of the result
	 * @param <E> type of the exception the code may throw
	 * @param key the key to lock
	 * @param action the code to run
	 * @return the code's result
	 * @throws E what the code throws
	 * @throws LockException as {@link #execute(LockRequest, LockCallback)}
	 */
	public <T extends @Nullable Object, E extends Throwable> T execute(String key, LockCallback<T, E> action) throws E {
		return execute(LockRequest.of(key), action);
	}

	/**
	 * Run code under a lock.
	 * @param <T> type of the result
	 * @param <E> type of the exception the code may throw
	 * @param request what to lock and how
	 * @param action the code to run
	 * @return the code's result
	 * @throws E what the code throws
	 * @throws LockNotAcquiredException when the lock was not acquired in time
	 * @throws LockUpgradeException when the holder of the shared lock requests the
	 * exclusive one
	 * @throws LockUnavailableException when the store does not answer
	 * @throws LockInterruptedException when the thread is interrupted while it waits
	 * @throws LockLostException when the lock was lost while the code ran
	 * @throws IllegalStateException when the result is work that is done after the
	 * release of the lock, such as a future, a publisher or a
	 * {@link java.util.concurrent.Callable}; a future is cancelled
	 */
	public <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockCallback<T, E> action)
			throws E {
		Assert.notNull(action, "'action' must not be null");
		SectionObservation observation = observation(request);
		return runWith(acquire(request), observation, action);
	}

	/**
	 * Run code without a result under the exclusive lock of a key, with the configured
	 * defaults.
	 * @param key the key to lock
	 * @param action the code to run
	 * @throws LockException as {@link #execute(LockRequest, LockCallback)}
	 */
	public void executeWithoutResult(String key, Consumer<LockHandle> action) {
		executeWithoutResult(LockRequest.of(key), action);
	}

	/**
	 * Run code without a result under a lock.
	 * @param request what to lock and how
	 * @param action the code to run
	 * @throws LockException as {@link #execute(LockRequest, LockCallback)}
	 */
	public void executeWithoutResult(LockRequest request, Consumer<LockHandle> action) {
		Assert.notNull(action, "'action' must not be null");
		execute(request, (lock) -> {
			action.accept(lock);
			return true;
		});
	}

	/**
	 * Run code under the exclusive lock of a key if it is free, with the configured
	 * defaults.
	 * @param <T> type of the result
	 * @param <E> type of the exception the code may throw
	 * @param key the key to lock
	 * @param action the code to run
	 * @return the code's result; empty when the lock was not free, or the result is
	 * {@code null}
	 * @throws E what the code throws
	 * @throws LockException as {@link #tryExecute(LockRequest, LockCallback)}
	 */
	public <T, E extends Throwable> Optional<T> tryExecute(String key, LockCallback<@Nullable T, E> action) throws E {
		return tryExecute(LockRequest.of(key), action);
	}

	/**
	 * Run code under a lock if it is free, or becomes free in time.
	 * @param <T> type of the result
	 * @param <E> type of the exception the code may throw
	 * @param request what to lock and how; one try unless it says how long to wait
	 * @param action the code to run
	 * @return the code's result; empty when the lock was not acquired, or the result is
	 * {@code null}
	 * @throws E what the code throws
	 * @throws LockException as {@link #execute(LockRequest, LockCallback)}, but no
	 * {@link LockNotAcquiredException}
	 */
	public <T, E extends Throwable> Optional<T> tryExecute(LockRequest request, LockCallback<@Nullable T, E> action)
			throws E {
		Assert.notNull(request, "'request' must not be null");
		Assert.notNull(action, "'action' must not be null");
		LockRequest oneTry = oneTryUnlessSet(request);
		SectionObservation observation = observation(oneTry);
		Optional<LockHandle> lock = tryAcquire(oneTry);
		return lock.isPresent() ? Optional.ofNullable(runWith(lock.get(), observation, action)) : Optional.empty();
	}

	/**
	 * Run code without a result under the exclusive lock of a key if it is free, with the
	 * configured defaults.
	 * @param key the key to lock
	 * @param action the code to run
	 * @return whether the code was run
	 * @throws LockException as {@link #tryExecute(LockRequest, LockCallback)}
	 */
	public boolean tryExecuteWithoutResult(String key, Consumer<LockHandle> action) {
		return tryExecuteWithoutResult(LockRequest.of(key), action);
	}

	/**
	 * Run code without a result under a lock if it is free, or becomes free in time.
	 * @param request what to lock and how; one try unless it says how long to wait
	 * @param action the code to run
	 * @return whether the code was run
	 * @throws LockException as {@link #tryExecute(LockRequest, LockCallback)}
	 */
	public boolean tryExecuteWithoutResult(LockRequest request, Consumer<LockHandle> action) {
		Assert.notNull(action, "'action' must not be null");
		return tryExecute(request, (lock) -> {
			action.accept(lock);
			return true;
		}).isPresent();
	}

	private static LockRequest oneTryUnlessSet(LockRequest request) {
		return (request.waitFor() != null) ? request : request.waitFor(Duration.ZERO);
	}

	/**
	 * Acquire the exclusive lock of a key, with the configured defaults. The caller
	 * releases it.
	 * @param key the key to lock
	 * @return the held lock
	 * @throws LockException as {@link #acquire(LockRequest)}
	 */
	public LockHandle acquire(String key) {
		return acquire(LockRequest.of(key));
	}

	/**
	 * Acquire a lock. The caller releases it.
	 * @param request what to lock and how
	 * @return the held lock
	 * @throws LockNotAcquiredException when the lock was not acquired in time
	 * @throws LockException as {@link LockRegistry#tryAcquire}
	 */
	public LockHandle acquire(LockRequest request) {
		Assert.notNull(request, "'request' must not be null");
		LockHandle lock = this.registry.acquireOrThrow(request);
		Assert.state(lock != null, () -> "%s has returned no lock".formatted(this.registry.getClass().getName()));
		return this.transactionBinding.apply(lock, request);
	}

	/**
	 * Acquire the exclusive lock of a key if it is free, with the configured defaults.
	 * The caller releases it.
	 * @param key the key to lock
	 * @return the held lock, or empty when it was not free
	 * @throws LockException as {@link LockRegistry#tryAcquire}
	 */
	public Optional<LockHandle> tryAcquire(String key) {
		return tryAcquire(LockRequest.of(key));
	}

	/**
	 * Acquire a lock if it is free, or becomes free in time. The caller releases it.
	 * @param request what to lock and how; one try unless it says how long to wait
	 * @return the held lock, or empty when it was not acquired in time
	 * @throws LockException as {@link LockRegistry#tryAcquire}
	 */
	public Optional<LockHandle> tryAcquire(LockRequest request) {
		Assert.notNull(request, "'request' must not be null");
		return this.registry.tryAcquire(oneTryUnlessSet(request))
			.map((lock) -> this.transactionBinding.apply(lock, request));
	}

	/**
	 * Release the lock of a key by force, in any instance that holds it: of a shared lock
	 * or one with permits, what all holders have.
	 * @param key the key as it is locked, with the lock's name in front when it has one
	 * @return whether the lock was released; {@code false} when it was free, or changed
	 * hands meanwhile
	 * @throws LockUnavailableException when the store does not answer
	 * @see LockRegistry#forceRelease(String)
	 */
	public boolean forceRelease(String key) {
		return this.registry.forceRelease(key);
	}

	/**
	 * Throw an exception unless the current thread still holds all locks that it has
	 * acquired and not released, with this template or otherwise. Called before a
	 * transaction commits. Does nothing if losses are {@linkplain OnLost#LOG logged}
	 * only.
	 * @throws LockLostException when one of them is lost
	 * @see LockRegistry#ensureHeldByCurrentThread()
	 */
	public void ensureHeldByCurrentThread() {
		if (this.onLost != OnLost.LOG) {
			this.threadLocks.ensureHeld();
		}
	}

	/**
	 * Acquire a lock without blocking a thread during the wait. The handle owns the lock:
	 * it is not reentrant, even for a thread that holds the same lock, may be released
	 * from any thread, and is not kept until a transaction has completed.
	 * @param request what to lock and how
	 * @return completes with the held lock; exceptionally with a
	 * {@link LockNotAcquiredException} when it was not acquired in time, or a
	 * {@link LockUnavailableException} when the store does not answer. It completes on a
	 * thread of Holdfast, which may be blocked. So may the threads of its methods that
	 * end in {@code Async} and take no executor; its other methods run on the caller's
	 * thread if the lock is already acquired. Cancelling it gives up the lock.
	 */
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		Assert.notNull(request, "'request' must not be null");
		return this.registry.acquireAsync(request);
	}

	/**
	 * Run asynchronous code under a lock, without blocking a thread during the wait. The
	 * code starts on a thread of Holdfast, which it may block. The handle owns the lock,
	 * as with {@link #acquireAsync}. The lock is released when the stage that the code
	 * returns completes, even in a reactive transaction: the subscriber's context is not
	 * visible here, but in {@code ReactiveLockTemplate}.
	 * @param <T> type of the result
	 * @param request what to lock and how
	 * @param action the code to run
	 * @return completes with the code's result or failure, once the lock is released;
	 * exceptionally with a {@link LockNotAcquiredException} or a
	 * {@link LockUnavailableException} when the code did not run, with a
	 * {@link LockLostException} when the code ended normally and the lock was lost
	 * meanwhile. If it is cancelled before the code has started, the code does not run;
	 * later, the stage is cancelled if it is a {@link java.util.concurrent.Future}.
	 * Completing it in another way neither stops the code nor releases the lock earlier.
	 */
	public <T extends @Nullable Object> CompletableFuture<T> executeAsync(LockRequest request,
			Function<LockHandle, ? extends CompletionStage<T>> action) {
		return executeAsync(request, action, AsyncExecution.Binding.NONE);
	}

	<T extends @Nullable Object> CompletableFuture<T> executeAsync(LockRequest request,
			Function<LockHandle, ? extends CompletionStage<T>> action, AsyncExecution.Binding binding) {
		Assert.notNull(request, "'request' must not be null");
		Assert.notNull(action, "'action' must not be null");
		SectionObservation observation = observation(request);
		return AsyncExecution.start(acquireAsync(request), binding, this.onLost, observation,
				(lock) -> this.threadLocks.within(lock, () -> action.apply(lock)));
	}

	OnLost onLost() {
		return this.onLost;
	}

	boolean releasesAfterTransaction() {
		return this.releaseAfterTransaction;
	}

	private @Nullable SectionObservation observation(LockRequest request) {
		return (this.observations != null)
				? SectionObservation.of(request, this.observations, this.observationFailureLogged) : null;
	}

	private <T extends @Nullable Object, E extends Throwable> T runWith(LockHandle lock,
			@Nullable SectionObservation observation, LockCallback<T, E> action) throws E {
		// Releases the lock also if there is no memory for the section; it is done once
		try (lock; GuardedSection section = new GuardedSection(lock, this.onLost, observation)) {
			return section.run((held) -> LaterWork.refuse(action.doWithLock(held), held));
		}
	}

}
