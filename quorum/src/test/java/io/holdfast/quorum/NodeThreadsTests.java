package io.holdfast.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.engine.DaemonThreads;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.redis.AbstractThreadsTests;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.redis.ReplicaAcks;
import io.holdfast.test.Inherited;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Threads that ask nodes: what they know of those who start them, and what becomes of
 * them when something goes wrong that never should.
 */
class NodeThreadsTests extends AbstractThreadsTests {

	private static final Duration WORTH = Duration.ofSeconds(30);

	@Test
	void inheritNothingOfWhoStartsThem() {
		Node node = node(DaemonThreads.pool("test-node", 1, 1));
		PendingRequests pending = pending();
		CountDownLatch executed = new CountDownLatch(1);
		Inherited.give(() -> {
			pending.add(withdrawal(), WORTH);
			node.execute(() -> {
				this.known.add(Inherited.here());
				executed.countDown();
			});
			Threads.await(executed);
			await().until(() -> this.known.stream().map(Inherited::thread).distinct().count() == 2);
		});
		assertThat(this.known).extracting(Inherited::user).containsOnlyNulls();
		assertThat(this.known).extracting(Inherited::classLoader)
			.containsOnly(Thread.currentThread().getContextClassLoader());
		node.close(Duration.ZERO);
	}

	@Test
	void whatNoThreadHasBegunWithBeforeTheEndIsUnasked() {
		Node node = node(DaemonThreads.pool("test-node", 1, 1));
		CountDownLatch begun = new CountDownLatch(1);
		node.execute(() -> {
			begun.countDown();
			while (!Thread.currentThread().isInterrupted()) {
				LockSupport.park();
			}
		});
		Threads.await(begun);
		List<Node> unasked = new ArrayList<>();
		Poll.start(List.of(node), new Punctuality(), Duration.ofMillis(1), (asked) -> true, unasked::add)
			.await((answers) -> false, (asked, late) -> {
			});
		assertThat(unasked).isEmpty();
		node.close(Duration.ZERO);
		assertThat(unasked).containsExactly(node);
	}

	@Test
	void requestsAreSentWhateverIsThrown() {
		PendingRequests pending = pending();
		this.errors.set(3);
		pending.add(withdrawal(), WORTH);
		await().until(() -> pending.count() == 0);
		assertThat(this.errors.get()).isLessThan(0);
	}

	private Node node(ExecutorService threads) {
		return new Node(new QuorumNode("node", this.disturbed), 0, "holdfast", Duration.ofHours(1), threads);
	}

	private PendingRequests pending() {
		RedisLockStore store = new RedisLockStore(this.disturbed, "holdfast", Duration.ofHours(1), ReplicaAcks.NONE);
		return new PendingRequests(new NodeLocks(store, Duration.ofHours(1)));
	}

	private static PendingRequest withdrawal() {
		return PendingRequest.TakeBack.of(new HoldId("k", "one:1", 7));
	}

}
