package io.holdfast.redis.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.LogText;
import io.holdfast.engine.runtime.DaemonThreads;
import io.holdfast.engine.store.LockStoreException;
import io.holdfast.redis.SlotLocks;
import io.holdfast.redis.Withdrawal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is still to be taken back, or to be kept for nobody, on a node that did not
 * answer. Tried again until the node has answered, or has forgotten it by itself.
 */
final class NodeDebts {

	private static final Logger logger = LoggerFactory.getLogger(NodeDebts.class);

	private static final long PAUSE = Duration.ofMillis(200).toNanos();

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

	private final AtomicBoolean settling = new AtomicBoolean();

	private final SlotLocks locks;

	private final ExecutorService executor;

	private volatile boolean closed;

	NodeDebts(SlotLocks locks) {
		this(locks, DaemonThreads.pool("holdfast-node-debts", 1, 1));
	}

	NodeDebts(SlotLocks locks, ExecutorService executor) {
		this.locks = locks;
		this.executor = executor;
	}

	/**
	 * Take something back from the node, soon.
	 * @param worth for how long it could last
	 */
	void owe(Withdrawal withdrawal, Duration worth) {
		owe(new Debt.TakingBack(withdrawal), worth);
	}

	/**
	 * Tell the node something, soon.
	 * @param worth for how long it could last
	 */
	void owe(Debt debt, Duration worth) {
		if (this.debts.size() < MOST) {
			this.debts.put(debt, System.nanoTime() + worth.toNanos());
			begin();
		}
	}

	/**
	 * Return how much the node is still to be told.
	 */
	int count() {
		return this.debts.size();
	}

	/**
	 * Begin to settle debts, unless that is under way. Where no thread can be started for
	 * it, the next call begins.
	 */
	private void begin() {
		if (this.settling.compareAndSet(false, true)) {
			try {
				this.executor.execute(this::settleAll);
			}
			catch (Throwable ex) {
				this.settling.set(false);
			}
		}
	}

	/**
	 * Settle debts until there are none. What is owed while this ends is settled by the
	 * first thread that notices.
	 */
	private void settleAll() {
		do {
			while (isInDebt()) {
				trySettling();
			}
			this.settling.set(false);
		}
		while (isInDebt() && this.settling.compareAndSet(false, true));
	}

	private boolean isInDebt() {
		return !this.closed && !this.debts.isEmpty();
	}

	private void trySettling() {
		try {
			settleSome();
			if (this.debts.isEmpty()) {
				return;
			}
		}
		catch (Throwable ex) {
			// Without memory, it may be impossible to say so
		}
		Thread.interrupted();
		LockSupport.parkNanos(this, PAUSE);
	}

	/**
	 * Settle debts in any order, so that those that fail are not always the first.
	 */
	private void settleSome() {
		long now = System.nanoTime();
		this.debts.values().removeIf((until) -> now - until >= 0);
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
		this.closed = true;
		this.executor.shutdown();
		settleSome();
	}

}
