package io.holdfast.sample.fencing;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Reads and writes accounts for the holders of their locks. A row has the greatest
 * fencing token that it has seen, and refuses writes with a smaller one.
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
	/** Leaves the token, so that no older holder can write before this one does. */
	Account findForUpdate(long id, long token) {
		refuseUnlessUpdated(this.jdbc.sql("update account set token = ? where id = ? and token <= ?")
			.params(token, id, token)
			.update(), id, token);
		return find(id);
	}

	void writeBalance(long id, long balance, long token) {
		refuseUnlessUpdated(this.jdbc.sql("update account set balance = ?, token = ? where id = ? and token <= ?")
			.params(balance, token, id, token)
			.update(), id, token);
	}

	private void refuseUnlessUpdated(int rows, long id, long token) {
		if (rows == 0) {
			throw new StaleTokenException(id, token, find(id).token());
		}
	}
	// end

}
