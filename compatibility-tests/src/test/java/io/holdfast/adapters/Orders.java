package io.holdfast.adapters;

import io.holdfast.DistributedLock;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

// snippet: order-in-database
@Service
class Orders {

	private final JdbcClient jdbc;

	Orders(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * Returns whether this call has shipped the order; false if it was shipped before.
	 */
	@DistributedLock(name = "order", key = "#id")
	@Transactional
	public boolean ship(long id) {
		boolean open = this.jdbc.sql("select shipped is null from orders where id = ?")
			.param(id)
			.query(Boolean.class)
			.single();
		if (open) {
			this.jdbc.sql("update orders set shipped = current_timestamp where id = ?").param(id).update();
		}
		return open; // commits while the lock is held, or not at all
	}

}
// end
