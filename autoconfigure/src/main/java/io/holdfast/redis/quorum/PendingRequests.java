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
 * What is still to be taken back, or to be kept from all, on a node that did not answer.
 * Tried again until the node has answered, or has forgotten it by itself.
 */
final class PendingRequests {

	private static final Logger logger = LoggerFactory.getLogger(PendingRequests.class);

	private static final long PAUSE = Duration.ofMillis(200).toNanos();

	/**
	 * How many requests are kept at most; others are left to expire.
	 */
	private static final int MOST = 10_000;

	/**
	 * After how many failures the rest is put off. One that cannot be carried out must
	 * not hold up the others, but a node that is down is not to be asked for each of
	 * them.
	 */
	private static final int MOST_FAILURES = 3;

	private final Map<PendingRequest, Long> requests = new ConcurrentHashMap<>();

	private final AtomicBoolean sending = new AtomicBoolean();

	private final SlotLocks locks;

	private final ExecutorService executor;

	private volatile boolean closed;

	PendingRequests(SlotLocks locks) {
		this(locks, DaemonThreads.pool("holdfast-node-debts", 1, 1));
	}

	PendingRequests(SlotLocks locks, ExecutorService executor) {
		this.locks = locks;
		this.executor = executor;
	}

	/**
	 * Take something back from the node, soon.
	 * @param worth for how long it could last
	 */
	void add(Withdrawal withdrawal, Duration worth) {
		add(new PendingRequest.Withdrawing(withdrawal), worth);
	}

	/**
	 * Tell the node something, soon.
	 * @param worth for how long it could last
	 */
	void add(PendingRequest request, Duration worth) {
		if (this.requests.size() < MOST) {
			this.requests.put(request, System.nanoTime() + worth.toNanos());
			begin();
		}
	}

	/**
	 * Return how much the node is still to be told.
	 */
	int count() {
		return this.requests.size();
	}

	/**
	 * Begin to send requests, unless that is under way. Where no thread can be started
	 * for it, the next call begins.
	 */
	private void begin() {
		if (this.sending.compareAndSet(false, true)) {
			try {
				this.executor.execute(this::sendAll);
			}
			catch (Throwable ex) {
				this.sending.set(false);
			}
		}
	}

	/**
	 * Send requests until there are none. What is added while this ends is sent by the
	 * first thread that notices.
	 */
	private void sendAll() {
		do {
			while (isPending()) {
				trySending();
			}
			this.sending.set(false);
		}
		while (isPending() && this.sending.compareAndSet(false, true));
	}

	private boolean isPending() {
		return !this.closed && !this.requests.isEmpty();
	}

	private void trySending() {
		try {
			sendSome();
			if (this.requests.isEmpty()) {
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
	 * Send requests in any order, so that those that fail are not always the first.
	 */
	private void sendSome() {
		long now = System.nanoTime();
		this.requests.values().removeIf((until) -> now - until >= 0);
		List<Map.Entry<PendingRequest, Long>> some = new ArrayList<>(this.requests.entrySet());
		Collections.shuffle(some);
		int failures = 0;
		for (Map.Entry<PendingRequest, Long> request : some) {
			if (!isDone(request.getKey())) {
				failures++;
			}
			else {
				this.requests.remove(request.getKey(), request.getValue());
			}
			if (failures == MOST_FAILURES) {
				return;
			}
		}
	}

	private boolean isDone(PendingRequest request) {
		try {
			request.send(this.locks);
			return true;
		}
		catch (LockStoreException ex) {
			logger.debug("Could not send {}", LogText.of(request), ex);
			return !ex.isTransient();
		}
	}

	/**
	 * Send all once, and leave the rest to expire.
	 */
	void close() {
		this.closed = true;
		this.executor.shutdown();
		sendSome();
	}

}
