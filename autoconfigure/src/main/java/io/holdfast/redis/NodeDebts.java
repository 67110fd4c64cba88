package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.holdfast.LogText;
import io.holdfast.engine.LockStoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is still to be taken back, or to be kept for nobody, on a node that did not
 * answer. Tried again until the node has answered, or has forgotten it by itself.
 */
final class NodeDebts {

	private static final Logger logger = LoggerFactory.getLogger(NodeDebts.class);

	private static final Duration PAUSE = Duration.ofMillis(200);

	/**
	 * How many debts are kept at most; others are left to expire.
	 */
	private static final int MOST = 10_000;

	/**
	 * After how many failures the rest is put off. One debt that cannot be settled must
	 * not keep the others from it, but a node that is down is not to be asked for each of
	 * them.
	 */
	private static final int MOST_FAILURES = 3;

	private final Map<Debt, Long> debts = new ConcurrentHashMap<>();

	private final AtomicBoolean scheduled = new AtomicBoolean();

	private final SlotLocks locks;

	private final ScheduledExecutorService scheduler;

	NodeDebts(SlotLocks locks, ScheduledExecutorService scheduler) {
		this.locks = locks;
		this.scheduler = scheduler;
	}

	/**
	 * Tell the node something, soon.
	 * @param worth for how long it could last
	 */
	void owe(Debt debt, Duration worth) {
		if (this.debts.size() < MOST) {
			this.debts.put(debt, System.nanoTime() + worth.toNanos());
			schedule(Duration.ZERO);
		}
	}

	/**
	 * Return how much the node is still to be told.
	 */
	int count() {
		return this.debts.size();
	}

	private void schedule(Duration delay) {
		if (this.scheduled.compareAndSet(false, true)) {
			this.scheduler.schedule(this::settleAll, delay.toMillis(), TimeUnit.MILLISECONDS);
		}
	}

	private void settleAll() {
		this.scheduled.set(false);
		long now = System.nanoTime();
		this.debts.values().removeIf((until) -> now - until >= 0);
		settleSome();
		if (!this.debts.isEmpty()) {
			schedule(PAUSE);
		}
	}

	/**
	 * Settle debts in any order, so that those that fail are not always the first.
	 */
	private void settleSome() {
		List<Map.Entry<Debt, Long>> some = new ArrayList<>(this.debts.entrySet());
		Collections.shuffle(some);
		int failures = 0;
		for (Map.Entry<Debt, Long> debt : some) {
			if (!isSettled(debt.getKey())) {
				failures++;
			}
			else {
				this.debts.remove(debt.getKey(), debt.getValue());
			}
			if (failures == MOST_FAILURES) {
				return;
			}
		}
	}

	private boolean isSettled(Debt debt) {
		try {
			debt.settle(this.locks);
			return true;
		}
		catch (LockStoreException ex) {
			logger.debug("Could not settle {}", LogText.of(debt), ex);
			return !ex.isTransient();
		}
	}

	/**
	 * Settle what can be settled, once, and leave the rest to expire.
	 */
	void close() {
		this.scheduler.shutdown();
		settleAll();
	}

}
