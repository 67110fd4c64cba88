package io.holdfast.quorum;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import io.holdfast.engine.DaemonThreads;
import io.holdfast.engine.LockStoreException;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.redis.RedisView;
import io.holdfast.redis.ReplicaAcks;

/**
 * One of the masters of a quorum, with threads of its own: if it does not answer, the
 * others are not delayed.
 */
final class Node {

	private static final int MOST_THREADS = 8;

	private static final int MOST_WAITING = 1_000;

	private final String name;

	private final int rank;

	private final RedisLockStore store;

	private final NodeLocks locks;

	private final ExecutorService executor;

	private final PendingRequests pending;

	// The rank is its number among the nodes, beginning with 0: the same in whatever
	// order they are listed
	Node(QuorumNode node, int rank, String keyPrefix, Duration tokenRetention) {
		this.name = node.name();
		this.rank = rank;
		this.store = new RedisLockStore(node.connectionFactory(), keyPrefix, tokenRetention, ReplicaAcks.NONE);
		this.locks = new NodeLocks(this.store, tokenRetention);
		this.executor = DaemonThreads.pool("holdfast-store", MOST_THREADS, MOST_WAITING);
		this.pending = new PendingRequests(this.locks);
	}

	boolean execute(Runnable task) {
		try {
			this.executor.execute(task);
			return true;
		}
		catch (RejectedExecutionException ex) {
			return false;
		}
	}

	void check() {
		LockStoreException failure = this.store.check().failure();
		if (failure != null) {
			throw failure;
		}
	}

	String name() {
		return this.name;
	}

	int rank() {
		return this.rank;
	}

	RedisLockStore store() {
		return this.store;
	}

	NodeLocks locks() {
		return this.locks;
	}

	RedisView view() {
		return this.store.view();
	}

	PendingRequests pending() {
		return this.pending;
	}

	// End the threads. Tasks that have not begun by then run here if a caller still waits
	// for them, and are otherwise reported as unasked
	List<BooleanSupplier> close(Duration atMost) {
		this.executor.shutdown();
		try {
			this.executor.awaitTermination(atMost.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.executor.shutdownNow().forEach(Runnable::run);
		return this.pending.close();
	}

}
