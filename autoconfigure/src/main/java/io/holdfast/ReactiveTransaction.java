package io.holdfast;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * The reactive transaction in which a lock is requested: it keeps the lock until it has
 * completed, and does not commit if the lock is lost.
 */
final class ReactiveTransaction implements TransactionSynchronization, AsyncExecution.Binding {

	private final TransactionSynchronizationManager manager;

	private final LockRequest request;

	private final OnLost onLost;

	private volatile @Nullable Bound bound;

	private volatile boolean completed;

	private boolean superseded;

	private ReactiveTransaction(TransactionSynchronizationManager manager, LockRequest request, OnLost onLost) {
		this.manager = manager;
		this.request = request;
		this.onLost = onLost;
	}

	// The transaction of the subscriber, if it is in one. It is joined before the lock is
	// acquired, since its callbacks are no place for several threads
	static Mono<AsyncExecution.Binding> ofSubscriber(LockRequest request, OnLost onLost) {
		return TransactionSynchronizationManager.forCurrentTransaction()
			.onErrorResume(NoTransactionException.class, (none) -> Mono.empty())
			.filter((manager) -> manager.isActualTransactionActive() && manager.isSynchronizationActive())
			.map((manager) -> join(manager, request, onLost))
			.defaultIfEmpty(AsyncExecution.Binding.NONE);
	}

	private static AsyncExecution.Binding join(TransactionSynchronizationManager manager, LockRequest request,
			OnLost onLost) {
		ReactiveTransaction transaction = new ReactiveTransaction(manager, request, onLost);
		manager.registerSynchronization(transaction);
		return transaction;
	}

	@Override
	public LockHandle bind(LockHandle acquired, Executor executor) {
		TransactionBoundHandle handle = new TransactionBoundHandle(acquired, this.request);
		this.bound = new Bound(handle, acquired, executor);
		if (this.completed) {
			handle.transactionCompleted();
		}
		return handle;
	}

	@Override
	public Mono<Void> beforeCommit(boolean readOnly) {
		Bound lock = this.bound;
		if (lock == null || lock.handle().isFree() || readOnly || this.onLost == OnLost.LOG) {
			return Mono.empty();
		}
		return Mono.fromFuture(lock.ensureHeld(), true)
			.onErrorMap(LockLostException.class, (loss) -> new LockLostException(loss.getKey(),
					"the transaction is rolled back instead of committed", loss));
	}

	// Moves behind the callbacks registered since, which then still run under the lock.
	// After a failed commit it is too late: Spring has already chosen the callbacks
	@Override
	public Mono<Void> beforeCompletion() {
		if (this.manager.isSynchronizationActive()) {
			this.manager.registerSynchronization(new Last());
			this.superseded = true;
		}
		return Mono.empty();
	}

	@Override
	public Mono<Void> afterCompletion(int status) {
		return this.superseded ? Mono.empty() : complete();
	}

	private Mono<Void> complete() {
		this.completed = true;
		Bound lock = this.bound;
		return (lock != null && lock.handle().transactionCompleted())
				? Mono.fromFuture(lock.acquired().releaseAsync(), true).then() : Mono.empty();
	}

	private final class Last implements TransactionSynchronization {

		@Override
		public Mono<Void> afterCompletion(int status) {
			return complete();
		}

	}

	private record Bound(TransactionBoundHandle handle, LockHandle acquired, Executor executor) {

		private CompletableFuture<Void> ensureHeld() {
			return CompletableFuture.runAsync(() -> ThreadLocks.ensureHeld(this.acquired), this.executor);
		}

	}

}
