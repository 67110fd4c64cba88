package io.holdfast.sample;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Reads and writes the product on sale and its orders. Each method is one statement, and
 * none of them locks a row for longer than it takes to write it.
 */
@Repository
class SaleRepository {

	private final JdbcClient jdbc;

	SaleRepository(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	Sale find(long productId) {
		return this.jdbc.sql("select sale as number, offered, stock from product where id = ?")
			.param(productId)
			.query(Sale.class)
			.single();
	}

	void begin(long productId, int stock) {
		this.jdbc.sql("update product set sale = sale + 1, offered = ?, stock = ? where id = ?")
			.params(stock, stock, productId)
			.update();
	}

	void writeStock(long productId, int stock) {
		this.jdbc.sql("update product set stock = ? where id = ?").params(stock, productId).update();
	}

	void addOrder(long productId, Sale sale) {
		this.jdbc.sql("insert into sale_order (product_id, sale) values (?, ?)")
			.params(productId, sale.number())
			.update();
	}

	int countOrders(long productId, Sale sale) {
		return this.jdbc.sql("select count(*) from sale_order where product_id = ? and sale = ?")
			.params(productId, sale.number())
			.query(Integer.class)
			.single();
	}

}
