package io.holdfast.sample;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Service;

/**
 * Runs a rush on the product and counts what came of it.
 */
@Service
class RushRunner {

	private static final Logger logger = LoggerFactory.getLogger(RushRunner.class);

	/**
	 * The only product, see schema.sql.
	 */
	private static final long PRODUCT = 1;

	private final FlashSale flashSale;

	private final SaleRepository sales;

	private final Crowd crowd;

	private final ApplicationEventPublisher events;

	RushRunner(FlashSale flashSale, SaleRepository sales, Crowd crowd, ApplicationEventPublisher events) {
		this.flashSale = flashSale;
		this.sales = sales;
		this.crowd = crowd;
		this.events = events;
	}

	RushResult run(Rush rush) {
		Sale sale = rush.restock() ? this.flashSale.restock(PRODUCT) : this.sales.find(PRODUCT);
		Attendance attendance = new Attendance(rush, sale.offered(), this.events);
		attendance.tell(false);
		try {
			RushResult result = run(rush, sale, attendance);
			this.events.publishEvent(result);
			return result;
		}
		finally {
			attendance.tell(true);
		}
	}

	private RushResult run(Rush rush, Sale sale, Attendance attendance) {
		long start = System.nanoTime();
		Turnout turnout = this.crowd.send(rush.buyers(), () -> attendance.count(() -> buy(rush.locked())));
		long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
		logFailures(rush, turnout);
		int sold = this.sales.countOrders(PRODUCT, sale);
		long[] waits = rush.locked() ? turnout.waits() : new long[0];
		return new RushResult(rush.buyers(), rush.locked(), sale.offered(), turnout.bought(), sold,
				Math.max(0, sold - sale.offered()), turnout.failures().size(), Percentiles.ofNanos(waits),
				Histogram.ofNanos(waits), tookMs, Instant.now());
	}

	private Purchase buy(boolean locked) {
		return locked ? this.flashSale.buy(PRODUCT) : this.flashSale.buyWithoutLock(PRODUCT);
	}

	private static void logFailures(Rush rush, Turnout turnout) {
		if (!turnout.failures().isEmpty()) {
			logger.warn("{} of {} buyers failed, the first of them with", turnout.failures().size(), rush.buyers(),
					turnout.failures().get(0));
		}
	}

}
