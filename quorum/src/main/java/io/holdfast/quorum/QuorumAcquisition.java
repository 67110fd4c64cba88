package io.holdfast.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.Outcome;
import io.holdfast.quorum.NodeLocks.Attempt;
import io.holdfast.quorum.NodeLocks.Confirmation;
import io.holdfast.quorum.PendingRequest.TakeBack;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to acquire locks from a quorum, in two phases. In the first, nodes grant
 * tentatively, each with a token that no other node grants. If a quorum does, the second
 * makes the grants count, all with the greatest of the tokens, and lets every node know
 * it: a later grant, by whatever quorum, gets a greater one.
 */
final class QuorumAcquisition {

	// A holder whose lease ends sooner than this is an undecided attempt, or is being
	// withdrawn
	private static final int MOMENT_MILLIS = 30;

	// How much longer a tentative grant lasts than both phases may take
	private static final int TENTATIVE_MARGIN_MILLIS = 500;

	private static final int LEAST_DRIFT_MILLIS = 2;

	// By chance, after one in so many undecided attempts, a waiter goes to the end of
	// the queues
	private static final int STEP_BACK = 4;

	private final Quorum quorum;

	private final Claim claim;

	private final long sentAt = System.nanoTime();

	private final Map<Node, List<Grant>> granted = new LinkedHashMap<>();

	QuorumAcquisition(Quorum quorum, Claim claim) {
		this.quorum = quorum;
		this.claim = claim;
	}

	Outcome run() {
		try {
			return attempt();
		}
		catch (Error ex) {
			this.quorum.nodes().forEach((node) -> withdraw(node, this.claim.lease()));
			throw ex;
		}
	}

	private Outcome attempt() {
		Poll<Attempt> poll = this.quorum.ask(this::ask, this::isDecided, this::withdrawLate);
		poll.failures().keySet().forEach((node) -> withdraw(node, tentativeLease()));
		Map<Node, Attempt> denials = new LinkedHashMap<>();
		poll.answers().forEach((node, attempt) -> {
			if (attempt.outcome() instanceof Granted part) {
				this.granted.put(node, part.grants());
			}
			else {
				denials.put(node, attempt);
			}
		});
		if (this.granted.size() >= this.quorum.size() && isWorthwhile()) {
			return confirm(agreed(), denials.keySet());
		}
		giveBack();
		if (poll.answers().size() < this.quorum.size()) {
			throw this.quorum.tooFew(poll);
		}
		return denied(new Denials(denials.values(), this.granted.size(), this.quorum.size()));
	}

	// Nodes that answer in time are waited for even when a quorum has: the more of them
	// have the lock, the more of them may fail. A waiter does not wait for one that does
	// not, even where the others are divided: what it has been granted is in the way of
	// other waiters. A single try needs each chance that there is
	private boolean isDecided(Poll<Attempt> poll) {
		int granted = poll.count((attempt) -> attempt.outcome() instanceof Granted);
		int others = poll.answers().size() - granted + poll.failures().size();
		boolean isClear = granted >= this.quorum.size() || others > this.quorum.spare();
		boolean isEnough = this.claim.place() != null && poll.answers().size() >= this.quorum.size();
		return (isClear || isEnough) && poll.isSettled(this.quorum.nodes());
	}

	private Attempt ask(Node node) {
		return node.locks().attempt(this.claim, tentativeLease(), node.rank(), this.quorum.nodes().size());
	}

	// Not for long, since the instance may die before it decides
	private Duration tentativeLease() {
		Duration phases = this.quorum.timeout().multipliedBy(4).plusMillis(TENTATIVE_MARGIN_MILLIS);
		return (phases.compareTo(this.claim.lease()) < 0) ? phases : this.claim.lease();
	}

	// Something is left of the lease, given that clocks differ
	private boolean isWorthwhile() {
		Duration lease = this.claim.lease();
		Duration left = lease.minusNanos(System.nanoTime() - this.sentAt).minus(lease.dividedBy(100));
		return left.compareTo(Duration.ofMillis(LEAST_DRIFT_MILLIS)) > 0;
	}

	private List<Grant> agreed() {
		List<Grant> agreed = new ArrayList<>();
		for (int i = 0; i < this.claim.keys().size(); i++) {
			int index = i;
			long token = this.granted.values()
				.stream()
				.mapToLong((grants) -> grants.get(index).token())
				.max()
				.orElse(0);
			agreed.add(new Grant(this.claim.keys().get(i), token));
		}
		return List.copyOf(agreed);
	}

	// The second phase. Where its answer is lost or comes too late, the grant may count
	// or not: as long as the hold is held, both is right, and its release takes it away
	// in any case
	private Outcome confirm(List<Grant> agreed, Set<Node> denying) {
		Map<Node, List<Grant>> parts = Map.copyOf(this.granted);
		Poll<Confirmation> poll = this.quorum.ask((node) -> node.locks().confirm(this.claim, parts.get(node), agreed),
				(answers) -> isDecided(answers, parts.keySet()));
		if (poll.count(Confirmation::held) >= this.quorum.size()) {
			leave(poll, denying);
			return new Granted(this.claim.granted(agreed));
		}
		parts.keySet().forEach((node) -> takeBack(node, agreed));
		if (poll.answers().size() < this.quorum.size()) {
			throw this.quorum.tooFew(poll);
		}
		return new Denied(null, backOff());
	}

	private boolean isDecided(Poll<Confirmation> poll, Set<Node> parts) {
		long lost = parts.stream().filter((node) -> isLost(poll, node)).count();
		return (poll.count(Confirmation::held) >= this.quorum.size() || parts.size() - lost < this.quorum.size())
				&& poll.isSettled(parts);
	}

	private static boolean isLost(Poll<Confirmation> poll, Node node) {
		Confirmation answer = poll.answers().get(node);
		return poll.failures().containsKey(node) || (answer != null && !answer.held());
	}

	// Give up the places that are left, without waiting for it. Wherever a release comes
	// first and wakes this waiter again, that wakes the next one
	private void leave(Poll<Confirmation> poll, Set<Node> denying) {
		if (this.claim.place() != null) {
			Set<Node> queued = new LinkedHashSet<>(denying);
			poll.answers().forEach((node, answer) -> {
				if (answer.queued()) {
					queued.add(node);
				}
			});
			this.quorum.send(queued, (node) -> node.locks().leave(this.claim));
		}
	}

	private void withdrawLate(Node node, @Nullable Attempt attempt) {
		if (attempt == null) {
			withdraw(node, tentativeLease());
		}
		else if (attempt.outcome() instanceof Granted part) {
			node.pending().add(returned(part.grants(), List.of()), tentativeLease());
		}
	}

	// Withdraw what a node may have granted, without knowing its token
	private void withdraw(Node node, Duration lease) {
		node.pending().add(new PendingRequest.WithdrawClaim(this.claim, lease), lease);
	}

	// Withdraw what a node has granted, whether it counts already, will count, or never
	// will
	private void takeBack(Node node, List<Grant> agreed) {
		List<Grant> part = Objects.requireNonNull(this.granted.get(node));
		Duration worth = agreed.isEmpty() ? tentativeLease() : tentativeLease().plus(this.claim.lease());
		node.pending().add(returned(part, agreed), worth);
	}

	private TakeBack returned(List<Grant> part, List<Grant> agreed) {
		return new TakeBack(this.claim.keys(), this.claim.holder(), part, agreed);
	}

	private void giveBack() {
		Set<Node> nodes = this.granted.keySet();
		this.quorum.start(nodes, this::giveBack, (node) -> takeBack(node, List.of()))
			.await((answers) -> answers.isSettled(nodes));
	}

	private boolean giveBack(Node node) {
		try {
			return returned(Objects.requireNonNull(this.granted.get(node)), List.of()).send(node.locks());
		}
		catch (RuntimeException ex) {
			takeBack(node, List.of());
			throw ex;
		}
	}

	private Denied denied(Denials denials) {
		Duration remaining = denials.remaining();
		boolean undecided = remaining.compareTo(Duration.ofMillis(MOMENT_MILLIS)) <= 0 && !remaining.isNegative();
		if (denials.isSplit()) {
			undecided = true;
			if (ThreadLocalRandom.current().nextInt(STEP_BACK) == 0) {
				stepBack();
			}
		}
		return new Denied(denials.holder(), undecided ? backOff() : remaining).at(undecided ? 1 : denials.position());
	}

	private void stepBack() {
		if (this.claim.place() != null) {
			this.quorum.tell((node) -> node.locks().leave(this.claim));
		}
	}

	private static Duration backOff() {
		return Duration.ofMillis(ThreadLocalRandom.current().nextLong(10, 61));
	}

}
