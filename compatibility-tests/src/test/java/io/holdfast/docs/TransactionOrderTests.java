package io.holdfast.docs;

import java.util.ArrayList;
import java.util.List;

import io.holdfast.DistributedLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks and {@code @Transactional}.
 */
@Tag("any-jdk")
class TransactionOrderTests {

	private final ApplicationContextRunner contextRunner = OneApplication.withDatabaseAnd(Accounts.class);

	@Test
	void lockEnclosesTheTransaction() {
		this.contextRunner.run((context) -> {
			Locking locking = lookingForTransactions(context.getBean(Locking.class));
			Accounts accounts = context.getBean(Accounts.class);
			accounts.deposit("1");
			assertThat(locking.seen()).containsExactly(false);
			assertThat(accounts.freeAfterCommit()).containsExactly(false);
			assertThat(locking.isFree("1")).isTrue();
		});
	}

	@Test
	void transactionWithOrderZeroEnclosesTheLockAndCommitsBeforeTheRelease() {
		this.contextRunner.withUserConfiguration(TransactionsOutside.class).run((context) -> {
			Locking locking = lookingForTransactions(context.getBean(Locking.class));
			Accounts accounts = context.getBean(Accounts.class);
			accounts.deposit("1");
			assertThat(locking.seen()).containsExactly(true);
			assertThat(accounts.freeAfterCommit()).containsExactly(false);
			assertThat(locking.isFree("1")).isTrue();
		});
	}

	@Test
	void lockOfANewTransactionIsHeldUntilTheOuterOneCompletes() {
		this.contextRunner.run((context) -> {
			Locking locking = context.getBean(Locking.class);
			new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult((outer) -> {
				context.getBean(Accounts.class).audit("1");
				assertThat(locking.isFree("1")).isFalse();
			});
			assertThat(locking.isFree("1")).isTrue();
		});
	}

	private static Locking lookingForTransactions(Locking locking) {
		locking.lookFor(TransactionSynchronizationManager::isActualTransactionActive);
		return locking;
	}

	static class Accounts {

		private final Locking locking;

		private final List<Boolean> freeAfterCommit = new ArrayList<>();

		Accounts(Locking locking) {
			this.locking = locking;
		}

		List<Boolean> freeAfterCommit() {
			return this.freeAfterCommit;
		}

		@Transactional
		@DistributedLock("@locking.key(#id)")
		public void deposit(String id) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					Accounts.this.freeAfterCommit.add(Accounts.this.locking.isFree(id));
				}

			});
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@DistributedLock("#id")
		public void audit(String id) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(order = 0)
	static class TransactionsOutside {

	}

}
