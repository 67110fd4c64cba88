package io.holdfast.docs;

import java.util.ArrayList;
import java.util.List;

import io.holdfast.DistributedLock;
import io.holdfast.LockAssert;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks and transactions.
 */
@Tag("any-jdk")
@GuideTest
@Import({ TransactionSnippetsTests.Savings.class, TransactionSnippetsTests.Accounts.class })
class TransactionSnippetsTests {

	@Autowired
	private Savings savings;

	@Autowired
	private Accounts accounts;

	@Autowired
	private LockTemplate locks;

	@Test
	void commitsBeforeItReleases() {
		this.savings.deposit("1", 100);
		assertThat(this.accounts.lockable()).containsExactly(false);
		assertThat(new OtherInstance(this.locks).canLock("account:1")).isTrue();
	}

	@Test
	void releasesAfterTheTransaction() {
		this.savings.transfer("1", "2", 100);
		assertThat(this.accounts.lockable()).containsExactly(false, false);
		assertThat(new OtherInstance(this.locks).canLock("account:1")).isTrue();
	}

	static class Savings {

		private final LockTemplate locks;

		private final Accounts accounts;

		Savings(LockTemplate locks, Accounts accounts) {
			this.locks = locks;
			this.accounts = accounts;
		}

		// snippet: transactional
		@Transactional
		@DistributedLock(name = "account", key = "#id")
		public void deposit(String id, long amount) {
			this.accounts.add(id, amount); // committed before the lock is released
		}
		// end

		// snippet: in-transaction
		@Transactional
		public void transfer(String from, String to, long amount) {
			LockRequest both = LockRequest.of(from, to).name("account");
			this.locks.executeWithoutResult(both, (lock) -> {
				this.accounts.add(from, -amount);
				this.accounts.add(to, amount);
			});
			// still locked, until the transaction has completed
		}
		// end

	}

	/**
	 * Sees after each commit whether somebody else could have the lock.
	 */
	static class Accounts {

		private final OtherInstance other;

		private final List<Boolean> lockable = new ArrayList<>();

		Accounts(LockTemplate locks) {
			this.other = new OtherInstance(locks);
		}

		void add(String id, long amount) {
			LockAssert.assertHeld("account:" + id);
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					Accounts.this.lockable.add(Accounts.this.other.canLock("account:" + id));
				}

			});
		}

		List<Boolean> lockable() {
			List<Boolean> seen = List.copyOf(this.lockable);
			this.lockable.clear();
			return seen;
		}

	}

}
