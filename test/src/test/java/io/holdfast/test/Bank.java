package io.holdfast.test;

import io.holdfast.DistributedLock;
import io.holdfast.LockAssert;
import io.holdfast.LockTemplate;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * A service with locks.
 */
@Service
class Bank {

	private final Accounts accounts;

	private final LockTemplate locks;

	Bank(Accounts accounts, LockTemplate locks) {
		this.accounts = accounts;
		this.locks = locks;
	}

	@DistributedLock(name = "account", key = "#id")
	@Transactional
	public void open(long id) {
		LockAssert.assertHeld("account:" + id);
		this.accounts.save(new Account(id));
	}

	@Transactional
	public void openInTransaction(long id) {
		this.locks.executeWithoutResult("account:" + id, (lock) -> this.accounts.save(new Account(id)));
	}

}
