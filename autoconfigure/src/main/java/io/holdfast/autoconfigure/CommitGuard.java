package io.holdfast.autoconfigure;

import java.util.Collection;

import io.holdfast.LockLostException;
import io.holdfast.LockTemplate;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Has transactions rolled back that are about to commit on a thread that has lost a lock:
 * what was done under it was not protected. An exception before the commit leads to a
 * rollback, and to the caller.
 */
final class CommitGuard implements TransactionExecutionListener {

	private final Collection<LockTemplate> templates;

	CommitGuard(Collection<LockTemplate> templates) {
		this.templates = templates;
	}

	/**
	 * Looks neither at transactions that write nothing, nor at savepoints: what they are
	 * part of is looked at.
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		if (transaction.isNewTransaction() && !transaction.isReadOnly()) {
			try {
				this.templates.forEach(LockTemplate::ensureHeldByCurrentThread);
			}
			catch (LockLostException ex) {
				throw new LockLostException(ex.getKey(), "the transaction is rolled back instead of committed", ex);
			}
		}
	}

}
