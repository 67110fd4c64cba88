package io.holdfast.autoconfigure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.LockLostException;
import io.holdfast.LockRegistry;
import io.holdfast.LockTemplate;
import io.holdfast.OnLost;
import io.holdfast.engine.LockStore;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Puts a {@link CommitGuard} before every transaction manager of the application. The
 * guard is no bean: it would be added a second time where listeners are looked for.
 *
 * <p>
 * Templates and registries are taken as they are made, rather than asked for at a commit:
 * one commits while the application starts, too, and must not be what makes it create
 * locks. Those of a parent context count as well.
 */
final class CommitGuardInstaller implements BeanPostProcessor, BeanFactoryAware, PriorityOrdered {

	private final CopyOnWriteArrayList<LockTemplate> templates = new CopyOnWriteArrayList<>();

	private final CopyOnWriteArrayList<LockRegistry> registries = new CopyOnWriteArrayList<>();

	private final CommitGuard guard = new CommitGuard();

	private volatile @Nullable HoldfastProperties properties;

	private @Nullable CommitGuardInstaller parent;

	@Override
	public void setBeanFactory(BeanFactory beans) {
		BeanFactory ancestors = (beans instanceof HierarchicalBeanFactory child) ? child.getParentBeanFactory() : null;
		this.parent = (ancestors != null) ? ancestors.getBeanProvider(CommitGuardInstaller.class).getIfAvailable()
				: null;
	}

	// Before others of its kind, so that what it sees is not wrapped in what may not let
	// listeners be added
	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		if (bean instanceof HoldfastProperties unbound) {
			this.properties = unbound;
		}
		collect(bean);
		return bean;
	}

	// Objects that factory beans make get here only
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		collect(bean);
		return bean;
	}

	private void collect(Object bean) {
		if (bean instanceof LockTemplate template) {
			this.templates.addIfAbsent(template);
		}
		if (bean instanceof LockRegistry registry) {
			this.registries.addIfAbsent(registry);
		}
		if (bean instanceof AnnotationTemplate annotations) {
			this.templates.addIfAbsent(annotations.template());
		}
		if (bean instanceof LockEngine engine) {
			this.registries.addIfAbsent(engine.registry());
		}
		if (bean instanceof PlatformTransactionManager && bean instanceof ConfigurableTransactionManager manager) {
			guard(manager);
		}
	}

	// The present listeners may be a collection that cannot be changed
	private synchronized void guard(ConfigurableTransactionManager manager) {
		Collection<TransactionExecutionListener> listeners = manager.getTransactionExecutionListeners();
		if (!listeners.contains(this.guard)) {
			Collection<TransactionExecutionListener> all = new ArrayList<>(listeners);
			all.add(this.guard);
			manager.setTransactionExecutionListeners(all);
		}
	}

	// A template checks its registry as well
	private void ensureHeldByCurrentThread() {
		this.templates.forEach(LockTemplate::ensureHeldByCurrentThread);
		HoldfastProperties present = this.properties;
		if (this.templates.isEmpty() && (present == null || present.onLost() != OnLost.LOG)) {
			this.registries.forEach(LockRegistry::ensureHeldByCurrentThread);
		}
		if (this.parent != null) {
			this.parent.ensureHeldByCurrentThread();
		}
	}

	/**
	 * Has transactions rolled back that are about to commit on a thread that has lost a
	 * lock: what was done under it was not protected. An exception before the commit
	 * leads to a rollback, and to the caller.
	 */
	final class CommitGuard implements TransactionExecutionListener {

		// A savepoint is checked with the transaction that it is part of
		@Override
		public void beforeCommit(TransactionExecution transaction) {
			if (transaction.isNewTransaction() && !transaction.isReadOnly()) {
				TransactionSynchronizationManager.bindResource(LockStore.COMMITTING, transaction);
				try {
					CommitGuardInstaller.this.ensureHeldByCurrentThread();
				}
				catch (LockLostException ex) {
					throw new LockLostException(ex.getKey(), "the transaction is rolled back instead of committed", ex);
				}
				finally {
					TransactionSynchronizationManager.unbindResource(LockStore.COMMITTING);
				}
			}
		}

	}

}
