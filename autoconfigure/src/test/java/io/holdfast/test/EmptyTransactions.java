package io.holdfast.test;

import reactor.core.publisher.Mono;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * Manages reactive transactions without a database.
 */
public final class EmptyTransactions extends AbstractReactiveTransactionManager {

	private static final long serialVersionUID = 1L;

	private final transient Mono<Void> commit;

	private final transient Mono<Void> rollback;

	public EmptyTransactions(Mono<Void> commit, Mono<Void> rollback) {
		this.commit = commit;
		this.rollback = rollback;
	}

	@Override
	protected Object doGetTransaction(TransactionSynchronizationManager manager) {
		return this;
	}

	@Override
	protected Mono<Void> doBegin(TransactionSynchronizationManager manager, Object transaction,
			TransactionDefinition definition) {
		return Mono.empty();
	}

	@Override
	protected Mono<Void> doCommit(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
		return this.commit;
	}

	@Override
	protected Mono<Void> doRollback(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
		return this.rollback;
	}

}
