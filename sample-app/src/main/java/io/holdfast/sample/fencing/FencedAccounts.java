package io.holdfast.sample.fencing;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Reads and writes accounts for the holders of their locks, and refuses those that have
 * lost them to another.
 *
 * <p>
 * A row carries the greatest fencing token it has seen, and takes no write with a smaller
 * one. An equal one comes from the same grant, as no two grants have the same token: with
 * {@code token < ?} a holder could not write twice, nor write what it has read.
 */
@Repository
class FencedAccounts {

	private final JdbcClient jdbc;

	FencedAccounts(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	Account find(long id) {
		return this.jdbc.sql("select balance, token from account where id = ?").param(id).query(Account.class).single();
	}

	// snippet: fenced-accounts
	/**
	 * Read an account in order to change it. Leaves the token there first, so that no
	 * older holder can write between this read and the next write.
	 * @throws StaleTokenException when a newer holder was here
	 */
	Account findForUpdate(long id, long token) {
		int rows = this.jdbc.sql("update account set token = ? where id = ? and token <= ?")
			.params(token, id, token)
			.update();
		refuseUnlessUpdated(rows, id, token);
		return find(id);
	}

	/**
	 * Write an account.
	 * @throws StaleTokenException when a newer holder was here
	 */
	void writeBalance(long id, long balance, long token) {
		int rows = this.jdbc.sql("update account set balance = ?, token = ? where id = ? and token <= ?")
			.params(balance, token, id, token)
			.update();
		refuseUnlessUpdated(rows, id, token);
	}

	private void refuseUnlessUpdated(int rows, long id, long token) {
		if (rows == 0) {
			throw new StaleTokenException(id, token, find(id).token());
		}
	}
	// end

}
