package io.holdfast.redis;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.holdfast.engine.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that decide together, and how many of them it takes.
 *
 * @param nodes all nodes
 * @param size how many have to agree
 * @param timeout how long to wait for those that do not answer
 */
record Quorum(List<Node> nodes, int size, Duration timeout) {

	/**
	 * Ask all nodes.
	 * @param decided whether the rest of the answers can be done without
	 */
	<T> Poll<T> ask(Function<Node, T> question, Predicate<Poll<T>> decided) {
		return ask(question, decided, (node, late) -> {
		});
	}

	/**
	 * Ask all nodes.
	 * @param decided whether the rest of the answers can be done without
	 * @param late is told of the rest, {@code null} being a failure
	 */
	<T> Poll<T> ask(Function<Node, T> question, Predicate<Poll<T>> decided, BiConsumer<Node, @Nullable T> late) {
		return Poll.start(this.nodes, this.timeout, question, (unasked) -> {
		}).await(decided, late);
	}

	/**
	 * Tell all nodes something, and wait for those that answer.
	 */
	void tell(Consumer<Node> message) {
		ask((node) -> {
			message.accept(node);
			return true;
		}, (answers) -> answers.isSettled(this.nodes));
	}

	/**
	 * Tell some nodes something, without waiting for any of them.
	 */
	void send(Collection<Node> some, Consumer<Node> message) {
		Poll.start(some, this.timeout, (node) -> {
			message.accept(node);
			return true;
		}, (unasked) -> {
		});
	}

	/**
	 * Ask all nodes a question that a quorum has to say yes to.
	 * @throws LockStoreException when the answers do not decide it
	 */
	boolean agrees(Function<Node, Boolean> question) {
		return agrees(question, (unasked) -> {
		});
	}

	/**
	 * Ask all nodes a question that a quorum has to say yes to.
	 * @param unasked is told of each node that is not asked in time
	 * @throws LockStoreException when the answers do not decide it
	 */
	boolean agrees(Function<Node, Boolean> question, Consumer<Node> unasked) {
		Poll<Boolean> poll = Poll.start(this.nodes, this.timeout, question, unasked)
			.await((answers) -> agrees(answers) || cannotAgree(answers), (node, late) -> {
			});
		if (agrees(poll)) {
			return true;
		}
		if (cannotAgree(poll)) {
			return false;
		}
		throw tooFew(poll);
	}

	private boolean agrees(Poll<Boolean> poll) {
		return poll.count((answer) -> answer) >= this.size;
	}

	private boolean cannotAgree(Poll<Boolean> poll) {
		return poll.count((answer) -> !answer) > spare();
	}

	/**
	 * Return how many nodes can be done without.
	 */
	int spare() {
		return this.nodes.size() - this.size;
	}

	/**
	 * Say that too few nodes have answered. Only time can help unless too many of them
	 * have failed for good.
	 */
	LockStoreException tooFew(Poll<?> poll) {
		int answered = poll.answers().size();
		Map<Node, LockStoreException> failures = poll.failures();
		long lasting = failures.values().stream().filter((failure) -> !failure.isTransient()).count();
		Throwable cause = timedOut();
		for (LockStoreException failure : failures.values()) {
			cause = failure;
		}
		String missing = this.nodes.stream()
			.filter((node) -> !poll.answers().containsKey(node))
			.map(Node::name)
			.collect(Collectors.joining(", "));
		return new LockStoreException("%d of %d Redis nodes answered, %d are needed; not those at %s"
			.formatted(answered, this.nodes.size(), this.size, missing), cause, lasting <= spare());
	}

	/**
	 * Say that a node has not answered.
	 */
	LockStoreException noAnswer() {
		TimeoutException cause = timedOut();
		return new LockStoreException(String.valueOf(cause.getMessage()), cause, true);
	}

	private TimeoutException timedOut() {
		return new TimeoutException("No answer within %d ms".formatted(this.timeout.toMillis()));
	}

}
