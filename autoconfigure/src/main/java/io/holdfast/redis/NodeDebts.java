package io.holdfast.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.holdfast.engine.LockStoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is still to be taken back on a node that did not answer. Tried again until the
 * node has answered, or has forgotten it by itself.
 */
final class NodeDebts {

	private static final Logger logger = LoggerFactory.getLogger(NodeDebts.class);

	private static final Duration PAUSE = Duration.ofMillis(200);

	/**
	 * How many debts are kept at most; others are left to expire.
	 */
	private static final int MOST = 10_000;

	private final Map<Withdrawal, Long> debts = new ConcurrentHashMap<>();

	private final AtomicBoolean scheduled = new AtomicBoolean();

	private final SlotLocks locks;

	private final ScheduledExecutorService scheduler;

	NodeDebts(SlotLocks locks, ScheduledExecutorService scheduler) {
		this.locks = locks;
		this.scheduler = scheduler;
	}

	/**
	 * Take something back.
	 * @param worth for how long it could last
	 */
	void owe(Withdrawal debt, Duration worth) {
		if (this.debts.size() < MOST) {
			this.debts.put(debt, System.nanoTime() + worth.toNanos());
			schedule(Duration.ZERO);
		}
	}

	/**
	 * Return the greatest token among what is still to be taken back from an owner, or
	 * zero. An attempt that found it and took it for its own would lose it later.
	 */
	long staleToken(String owner, List<String> keys) {
		long greatest = 0;
		for (Withdrawal debt : this.debts.keySet()) {
			if (debt.owner().equals(owner)) {
				greatest = Math.max(greatest, debt.greatestAgreed(keys));
			}
		}
		return greatest;
	}

	private void schedule(Duration delay) {
		if (this.scheduled.compareAndSet(false, true)) {
			this.scheduler.schedule(this::settleAll, delay.toMillis(), TimeUnit.MILLISECONDS);
		}
	}

	private void settleAll() {
		this.scheduled.set(false);
		try {
			this.debts.forEach(this::settle);
		}
		catch (RuntimeException ex) {
			logger.debug("Could not take back {} things yet, trying again", this.debts.size(), ex);
		}
		if (!this.debts.isEmpty()) {
			schedule(PAUSE);
		}
	}

	private void settle(Withdrawal debt, Long until) {
		if (System.nanoTime() - until < 0) {
			try {
				this.locks.withdraw(debt);
			}
			catch (LockStoreException ex) {
				if (ex.isTransient()) {
					throw ex;
				}
				logger.debug("Could not take back {}; it expires by itself", debt, ex);
			}
		}
		this.debts.remove(debt, until);
	}

}
