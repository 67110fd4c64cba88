package io.holdfast.sample;

import java.util.concurrent.TimeUnit;

import io.holdfast.DistributedLock;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * The shop: sells a product by reading its stock, thinking for a moment and writing it
 * back, under the lock or without it.
 *
 * <p>
 * The lock lies around the transaction. When the next buyer gets it, the stock that the
 * one before has written is committed.
 */
@Service
class FlashSale {

	private final SaleRepository sales;

	private final SampleProperties properties;

	FlashSale(SaleRepository sales, SampleProperties properties) {
		this.sales = sales;
		this.properties = properties;
	}

	@DistributedLock(name = "sale", key = "#productId", waitFor = "30s")
	@Transactional
	public Purchase buy(long productId) {
		return readThinkWrite(productId);
	}

	@Transactional
	public Purchase buyWithoutLock(long productId) {
		return readThinkWrite(productId);
	}

	/**
	 * Begin a new sale. Takes the buyers' lock, because a buyer who is still thinking
	 * would write the stock of the sale before over the new one.
	 */
	@DistributedLock(name = "sale", key = "#productId", waitFor = "30s")
	@Transactional
	public Sale restock(long productId) {
		this.sales.begin(productId, this.properties.stock());
		return this.sales.find(productId);
	}

	private Purchase readThinkWrite(long productId) {
		long enteredAt = System.nanoTime();
		Sale sale = this.sales.find(productId);
		if (sale.stock() <= 0) {
			return new Purchase(false, enteredAt);
		}
		think();
		this.sales.writeStock(productId, sale.stock() - 1);
		this.sales.addOrder(productId, sale);
		return new Purchase(true, enteredAt);
	}

	private void think() {
		try {
			TimeUnit.NANOSECONDS.sleep(this.properties.thinkTime().toNanos());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while a buyer was thinking", ex);
		}
	}

}
