package io.holdfast.sample.fencing;

import io.holdfast.LockTemplate;

import org.springframework.stereotype.Service;

/**
 * Pays into accounts, each under its lock and with the token of that.
 */
@Service
class Deposits {

	private final LockTemplate locks;

	private final FencedAccounts accounts;

	Deposits(LockTemplate locks, FencedAccounts accounts) {
		this.locks = locks;
		this.accounts = accounts;
	}

	// snippet: fenced-deposit
	long deposit(long id, long amount) {
		return this.locks.execute("account:" + id, (lock) -> {
			long token = lock.fencingToken();
			long balance = this.accounts.findForUpdate(id, token).balance() + amount;
			this.accounts.writeBalance(id, balance, token);
			return balance;
		});
	}
	// end

}
