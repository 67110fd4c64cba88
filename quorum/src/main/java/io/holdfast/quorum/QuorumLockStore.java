package io.holdfast.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import io.holdfast.engine.EngineRuntime;
import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.MonotonicClock;
import io.holdfast.engine.ShutdownTasks;
import io.holdfast.engine.StoreView;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Locks on several independent masters, a quorum of which decides: Redlock, with fencing
 * tokens that keep growing when a minority of the masters is lost.
 */
final class QuorumLockStore implements LockStore, AutoCloseable {

	// How long a node that does not answer is asked to release a hold. Longer leases are
	// left to expire
	private static final Duration RELEASE_RETRIED = Duration.ofMinutes(1);

	private final Quorum quorum;

	// Each attempt is a claim of its own, so that the withdrawal of one does not hit the
	// next
	private final AtomicLong attempts = new AtomicLong();

	private final WakeUpCounts counts;

	private final QuorumView view;

	QuorumLockStore(List<QuorumNode> nodes, String keyPrefix, Duration tokenRetention, int quorum,
			Duration nodeTimeout) {
		this(nodes, keyPrefix, tokenRetention, quorum, nodeTimeout, QuorumView.TIMEOUT);
	}

	QuorumLockStore(List<QuorumNode> nodes, String keyPrefix, Duration tokenRetention, int quorum, Duration nodeTimeout,
			Duration viewTimeout) {
		Assert.isTrue(quorum > nodes.size() / 2 && quorum <= nodes.size(),
				() -> "%d is no quorum of %d nodes".formatted(quorum, nodes.size()));
		List<String> names = nodes.stream().map(QuorumNode::name).distinct().sorted().toList();
		Assert.isTrue(names.size() == nodes.size(), "'nodes' must have different names");
		this.quorum = new Quorum(nodes.stream()
			.map((node) -> new Node(node, names.indexOf(node.name()), keyPrefix, tokenRetention))
			.toList(), quorum, nodeTimeout);
		this.counts = new WakeUpCounts(quorum);
		this.view = new QuorumView(this.quorum, viewTimeout);
	}

	// A failed attempt has withdrawn its own grants, so a claim never finds an earlier
	// grant
	@Override
	public Outcome acquire(Claim claim) {
		QueuePlace place = claim.place();
		if (place != null) {
			this.counts.clear(claim.keys(), place.id());
		}
		return new QuorumAcquisition(this.quorum, claim.as(this.attempts.incrementAndGet())).run();
	}

	// Frees the lock: a hand-over would need two requests as well
	@Override
	public Transfer transfer(HoldId hold, Claim successor, boolean yield) {
		return release(hold) ? new Freed() : new NotHeld();
	}

	// A slow node may keep an old count: nothing depends on it
	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		return new QuorumRenewals(this.quorum, renewals).run();
	}

	@Override
	public boolean release(HoldId hold) {
		return send(PendingRequest.TakeBack.of(hold));
	}

	// A node without an answer is asked later, for the rest of the time. Until then, the
	// hold blocks the lock there for the rest of its lease
	@Override
	public boolean keep(HoldId hold, Duration rest) {
		return send(new PendingRequest.Keep(hold, System.nanoTime() + rest.toNanos()));
	}

	private boolean send(PendingRequest request) {
		return this.quorum.agrees((node) -> send(node, request),
				(node) -> node.pending().add(request, RELEASE_RETRIED));
	}

	private static boolean send(Node node, PendingRequest request) {
		try {
			return request.send(node.locks());
		}
		catch (LockStoreException ex) {
			node.pending().add(request, RELEASE_RETRIED);
			throw ex;
		}
	}

	@Override
	public boolean downgrade(HoldId hold, int holdCount, @Nullable String passedTo) {
		return this.quorum.agrees((node) -> node.locks().downgrade(hold, holdCount, passedTo));
	}

	// Leaves all queues that can be reached; places in the others expire. Each attempt
	// has withdrawn itself what too few granted
	@Override
	public void withdraw(Claim claim, Duration refused) {
		QueuePlace place = claim.place();
		if (place != null) {
			this.counts.clear(claim.keys(), place.id());
			this.quorum.tell((node) -> node.locks().leave(claim));
		}
	}

	// With n permits on each node, different majorities could grant more than n
	@Override
	public boolean hasPermits() {
		return false;
	}

	@Override
	public Check check() {
		Poll<Boolean> poll = this.quorum.ask((node) -> {
			node.check();
			return true;
		}, (answers) -> false);
		LockStoreException silent = this.quorum.noAnswer();
		List<NodeStatus> statuses = new ArrayList<>();
		for (Node node : this.quorum.nodes()) {
			LockStoreException failure = poll.answers().containsKey(node) ? null
					: poll.failures().getOrDefault(node, silent);
			statuses.add(new NodeStatus(node.name(), failure));
		}
		return new Check(statuses, (poll.answers().size() < this.quorum.size()) ? this.quorum.tooFew(poll) : null);
	}

	@Override
	public StoreView view() {
		return this.view;
	}

	@Override
	public void listen(String instanceId, WakeUpListener listener) {
		List<Node> nodes = this.quorum.nodes();
		for (int i = 0; i < nodes.size(); i++) {
			nodes.get(i).store().listen(instanceId, new NodeListener(i, listener));
		}
	}

	@Override
	public void stopListening() {
		new ShutdownTasks(EngineRuntime.of(MonotonicClock.SYSTEM))
			.run(this.quorum.nodes().stream().<BooleanSupplier>map((node) -> () -> {
				node.store().stopListening();
				return true;
			}).toList());
	}

	// End the threads that ask the nodes. Pending withdrawals are tried once more.
	// Nothing is granted afterwards
	@Override
	public void close() {
		stopListening();
		List<BooleanSupplier> left = new ArrayList<>();
		this.quorum.nodes().forEach((node) -> left.addAll(node.close(this.quorum.timeout())));
		new ShutdownTasks(EngineRuntime.of(MonotonicClock.SYSTEM)).run(left);
		this.quorum.nodes().forEach((node) -> node.store().close());
	}

	// Idle until a quorum of the subscriptions has begun
	@Override
	public Subscription subscription() {
		List<Subscription> states = this.quorum.nodes().stream().map((node) -> node.store().subscription()).toList();
		if (count(states, Subscription.ACTIVE) >= this.quorum.size()) {
			return Subscription.ACTIVE;
		}
		return (count(states, Subscription.BROKEN) > this.quorum.spare()) ? Subscription.BROKEN : Subscription.IDLE;
	}

	private static long count(List<Subscription> states, Subscription state) {
		return states.stream().filter((other) -> other == state).count();
	}

	private final class NodeListener implements WakeUpListener {

		private final int node;

		private final WakeUpListener listener;

		private NodeListener(int node, WakeUpListener listener) {
			this.node = node;
			this.listener = listener;
		}

		@Override
		public void wakeUp(String key, String placeId) {
			if (QuorumLockStore.this.counts.add(key, placeId, this.node)) {
				this.listener.wakeUp(key, placeId);
			}
		}

		@Override
		public void wakeUpAll() {
			this.listener.wakeUpAll();
		}

		@Override
		public void forceReleased(HoldId hold) {
			this.listener.forceReleased(hold);
		}

		@Override
		public void wanted(String key, boolean fair) {
			// Each grant of a quorum is for one section
		}

	}

}
