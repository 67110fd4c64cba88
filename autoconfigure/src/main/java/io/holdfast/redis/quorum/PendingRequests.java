package io.holdfast.redis.quorum;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

import io.holdfast.LogText;
import io.holdfast.engine.runtime.Background;
import io.holdfast.engine.runtime.EngineRuntime;
import io.holdfast.engine.runtime.MonotonicClock;
import io.holdfast.engine.runtime.ShutdownTasks;
import io.holdfast.engine.runtime.StoreThreads;
import io.holdfast.engine.store.LockStoreException;
import io.holdfast.redis.SlotLocks;
import io.holdfast.redis.Withdrawal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node that did not answer is still to be told. Repeated until the node has
 * answered, or has forgotten by itself what it is about.
 */
final class PendingRequests {

	private static final Logger logger = LoggerFactory.getLogger(PendingRequests.class);

	/**
	 * How many requests are kept at most; what others are about is left to expire.
	 */
	private static final int MOST = 10_000;

	/**
	 * Until when each is of use.
	 */
	private final ConcurrentHashMap<PendingRequest, Long> requests = new ConcurrentHashMap<>();

	private final SlotLocks locks;

	private final EngineRuntime runtime;

	private final Background background;

	private final StoreThreads threads;

	PendingRequests(SlotLocks locks) {
		this(locks, EngineRuntime.of(MonotonicClock.SYSTEM));
	}

	PendingRequests(SlotLocks locks, EngineRuntime runtime) {
		this.locks = locks;
		this.runtime = runtime;
		this.background = new Background(runtime, "holdfast-timer");
		this.threads = new StoreThreads((keys) -> "this node", this.background);
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
		if (this.requests.size() < MOST
				&& this.requests.put(request, this.runtime.nanos() + MonotonicClock.toNanos(worth)) == null) {
			this.threads.repeat(List.of(), () -> isDone(request));
		}
	}

	/**
	 * Return how much the node is still to be told.
	 */
	int count() {
		return this.requests.size();
	}

	/**
	 * A request that is added once more while it is sent is sent again.
	 */
	private boolean isDone(PendingRequest request) {
		Long until = this.requests.get(request);
		if (until == null) {
			return true;
		}
		return (this.runtime.nanos() - until >= 0 || isAnswered(request)) && this.requests.remove(request, until);
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

	/**
	 * Send everything once, as far as there is time, and leave the rest to expire.
	 */
	void close() {
		List<BooleanSupplier> all = this.requests.keySet()
			.stream()
			.<BooleanSupplier>map((request) -> () -> isAnswered(request))
			.toList();
		this.requests.clear();
		new ShutdownTasks(this.runtime).run(all);
		this.background.stop();
	}

}
