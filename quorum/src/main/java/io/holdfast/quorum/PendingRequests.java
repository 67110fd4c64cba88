package io.holdfast.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import io.holdfast.LogText;
import io.holdfast.engine.Background;
import io.holdfast.engine.EngineRuntime;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.MonotonicClock;
import io.holdfast.engine.StoreThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests that a node has not answered. They are repeated until it has, or until their
 * subject has expired.
 */
final class PendingRequests {

	private static final Logger logger = LoggerFactory.getLogger(PendingRequests.class);

	// How many requests are kept at most; the subject of others is left to expire
	private static final int MOST = 10_000;

	// After how many failures the rest is delayed: a node that is down need not be asked
	// for each of them
	private static final int MOST_FAILURES = 3;

	private final AtomicBoolean sending = new AtomicBoolean();

	// Until when each is of use
	private final ConcurrentHashMap<PendingRequest, Long> requests = new ConcurrentHashMap<>();

	private final NodeLocks locks;

	private final EngineRuntime runtime = EngineRuntime.of(MonotonicClock.SYSTEM);

	private final Background background;

	private final StoreThreads threads;

	private volatile boolean closed;

	PendingRequests(NodeLocks locks) {
		this.locks = locks;
		this.background = new Background(this.runtime, "holdfast-timer");
		this.threads = new StoreThreads((keys) -> "this node", this.background);
	}

	// After the end, its subject is left to expire: a late answer must not start threads
	// again
	void add(PendingRequest request, Duration worth) {
		if (this.requests.size() < MOST) {
			this.requests.put(request, this.runtime.nanos() + MonotonicClock.toNanos(worth));
			if (this.closed) {
				this.requests.remove(request);
			}
			else {
				begin();
			}
		}
	}

	private void begin() {
		if (this.sending.compareAndSet(false, true)) {
			this.threads.repeat(List.of(), this::sendAll);
		}
	}

	int count() {
		return this.requests.size();
	}

	// What is added while this ends is sent by the first thread that notices
	private boolean sendAll() {
		if (this.closed) {
			return true;
		}
		sendSome();
		if (!this.requests.isEmpty()) {
			return false;
		}
		this.sending.set(false);
		return this.requests.isEmpty() || !this.sending.compareAndSet(false, true);
	}

	// In any order, so that those that fail are not always the first. A request that is
	// added once more while it is sent is sent again
	private void sendSome() {
		long now = this.runtime.nanos();
		this.requests.values().removeIf((until) -> now - until >= 0);
		List<Map.Entry<PendingRequest, Long>> some = new ArrayList<>(this.requests.entrySet());
		Collections.shuffle(some);
		int failures = 0;
		for (Map.Entry<PendingRequest, Long> request : some) {
			if (isAnswered(request.getKey())) {
				this.requests.remove(request.getKey(), request.getValue());
			}
			else if (++failures == MOST_FAILURES) {
				return;
			}
		}
	}

	private boolean isAnswered(PendingRequest request) {
		try {
			request.send(this.locks);
			return true;
		}
		catch (LockStoreException ex) {
			logger.debug("Could not send {}", LogText.of(request), ex);
			return !ex.isTransient();
		}
	}

	List<BooleanSupplier> close() {
		this.closed = true;
		List<BooleanSupplier> left = this.requests.keySet()
			.stream()
			.<BooleanSupplier>map((request) -> () -> isAnswered(request))
			.toList();
		this.requests.clear();
		this.background.stop();
		this.runtime.endIdleThreads();
		return left;
	}

}
