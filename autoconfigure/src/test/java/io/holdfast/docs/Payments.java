package io.holdfast.docs;

import io.holdfast.LockTemplate;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Books payments once each.
 */
// snippet: payments
@Service
class Payments {

	private final LockTemplate locks;

	private final TransactionTemplate transactions;

	private final JdbcClient jdbc;

	Payments(LockTemplate locks, TransactionTemplate transactions, JdbcClient jdbc) {
		this.locks = locks;
		this.transactions = transactions;
		this.jdbc = jdbc;
	}

	/**
	 * Returns whether this call has booked the payment; false if it was booked before.
	 */
	boolean book(Payment payment) {
		return this.locks.execute("account:" + payment.account(), (lock) -> {
			long token = lock.fencingToken();
			// the lock is held until the transaction has committed
			return this.transactions.execute((status) -> bookOnce(payment, token));
		});
	}

	private boolean bookOnce(Payment payment, long token) {
		if (!this.jdbc.sql("select id from payment where id = ?").param(payment.id()).query().listOfRows().isEmpty()) {
			return false;
		}
		this.jdbc.sql("insert into payment (id, account, amount) values (?, ?, ?)")
			.params(payment.id(), payment.account(), payment.amount())
			.update();
		int rows = this.jdbc.sql("update account set balance = balance + ?, token = ? where id = ? and token <= ?")
			.params(payment.amount(), token, payment.account(), token)
			.update();
		if (rows == 0) {
			// rolls the transaction back, and with it the insert
			throw new IllegalStateException("Refused: a later holder has written the account, or there is none");
		}
		return true;
	}

}
// end
