package io.holdfast.autoconfigure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.LockLostException;
import io.holdfast.LockTemplate;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Puts a {@link CommitGuard} before every transaction manager of the application. The
 * guard is no bean: it would be added a second time where listeners are looked for.
 *
 * <p>
 * Templates are taken as they are made, rather than asked for at a commit: one commits
 * while the application starts, too, and must not be what makes it create locks.
 */
final class CommitGuardInstaller implements BeanPostProcessor, PriorityOrdered {

	private final CopyOnWriteArrayList<LockTemplate> templates = new CopyOnWriteArrayList<>();

	private @Nullable CommitGuard guard;

	/**
	 * Before others of its kind, so that what it sees is not wrapped in what may not let
	 * listeners be added.
	 */
	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		if (bean instanceof LockTemplate template) {
			this.templates.addIfAbsent(template);
		}
		guardIfManager(bean);
		return bean;
	}

	/**
	 * All there is to see of an object that a factory bean has made.
	 */
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		guardIfManager(bean);
		return bean;
	}

	private void guardIfManager(Object bean) {
		if (bean instanceof PlatformTransactionManager && bean instanceof ConfigurableTransactionManager manager) {
			guard(manager);
		}
	}

	/**
	 * Add the guard, last, also where the listeners are a collection that cannot be
	 * changed.
	 */
	private synchronized void guard(ConfigurableTransactionManager manager) {
		CommitGuard added = (this.guard != null) ? this.guard : new CommitGuard(this.templates);
		this.guard = added;
		Collection<TransactionExecutionListener> listeners = manager.getTransactionExecutionListeners();
		if (!listeners.contains(added)) {
			Collection<TransactionExecutionListener> all = new ArrayList<>(listeners);
			all.add(added);
			manager.setTransactionExecutionListeners(all);
		}
	}

	/**
	 * Has transactions rolled back that are about to commit on a thread that has lost a
	 * lock: what was done under it was not protected. An exception before the commit
	 * leads to a rollback, and to the caller.
	 */
	static final class CommitGuard implements TransactionExecutionListener {

		private final Collection<LockTemplate> templates;

		CommitGuard(Collection<LockTemplate> templates) {
			this.templates = templates;
		}

		/**
		 * Looks neither at transactions that write nothing, nor at savepoints: what they
		 * are part of is looked at.
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

}
