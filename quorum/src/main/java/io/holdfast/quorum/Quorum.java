package io.holdfast.quorum;

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
 * The nodes that decide together, and how many are needed.
 */
record Quorum(List<Node> nodes, int size, Duration timeout, Punctuality punctuality) {

	Quorum(List<Node> nodes, int size, Duration timeout) {
		this(nodes, size, timeout, new Punctuality());
	}

	<T> Poll<T> ask(Function<Node, T> question, Predicate<Poll<T>> decided) {
		return start(this.nodes, question, this::ignore).await(decided);
	}

	<T> Poll<T> ask(Function<Node, T> question, Predicate<Poll<T>> decided, BiConsumer<Node, @Nullable T> late) {
		return start(this.nodes, question, this::ignore).await(decided, late);
	}

	<T> Poll<T> start(Collection<Node> some, Function<Node, T> question, Consumer<Node> unasked) {
		return Poll.start(some, this.punctuality, this.timeout, question, unasked);
	}

	private void ignore(Node unasked) {
	}

	// Ask all nodes, and wait for each that answers in time
	<T> List<T> survey(Function<Node, T> question) {
		Poll<T> poll = ask(question, this::isSettled);
		if (poll.answers().size() < this.size) {
			throw tooFew(poll);
		}
		return List.copyOf(poll.answers().values());
	}

	// A quorum has answered, and no more answers are expected
	boolean isSettled(Poll<?> poll) {
		return poll.answers().size() >= this.size && poll.isSettled(this.nodes);
	}

	// Send a request to all nodes, and wait for those that answer
	void tell(Consumer<Node> message) {
		ask((node) -> {
			message.accept(node);
			return true;
		}, (answers) -> answers.isSettled(this.nodes));
	}

	// Send a request to some nodes, without waiting for any of them
	void send(Collection<Node> some, Consumer<Node> message) {
		start(some, (node) -> {
			message.accept(node);
			return true;
		}, this::ignore).await((answers) -> true);
	}

	boolean agrees(Function<Node, Boolean> question) {
		return agrees(question, this::ignore);
	}

	boolean agrees(Function<Node, Boolean> question, Consumer<Node> unasked) {
		Poll<Boolean> poll = start(this.nodes, question, unasked)
			.await((answers) -> agrees(answers) || cannotAgree(answers));
		if (agrees(poll)) {
			return true;
		}
		if (cannotAgree(poll)) {
			return false;
		}
		throw undecided(poll, (answer) -> answer);
	}

	private boolean agrees(Poll<Boolean> poll) {
		return poll.count((answer) -> answer) >= this.size;
	}

	private boolean cannotAgree(Poll<Boolean> poll) {
		return poll.count((answer) -> !answer) > spare();
	}

	int spare() {
		return this.nodes.size() - this.size;
	}

	// For answers that decide nothing: too few, or different
	<T> LockStoreException undecided(Poll<T> poll, Predicate<T> agrees) {
		Map<Node, T> answers = poll.answers();
		if (answers.size() < this.size) {
			return tooFew(poll);
		}
		return failure(poll,
				"%d of %d Redis nodes must agree (yes: %s; no: %s; no answer: %s)".formatted(this.size,
						this.nodes.size(), names((node) -> answers.containsKey(node) && agrees.test(answers.get(node))),
						names((node) -> answers.containsKey(node) && !agrees.test(answers.get(node))),
						names((node) -> !answers.containsKey(node))));
	}

	LockStoreException tooFew(Poll<?> poll) {
		Map<Node, ?> answers = poll.answers();
		return failure(poll, "%d of %d Redis nodes answered, but %d are needed; no answer: %s".formatted(answers.size(),
				this.nodes.size(), this.size, names((node) -> !answers.containsKey(node))));
	}

	private String names(Predicate<Node> filter) {
		String names = this.nodes.stream().filter(filter).map(Node::name).collect(Collectors.joining(", "));
		return names.isEmpty() ? "none" : names;
	}

	// Only time can help, unless too many nodes have failed for good
	private LockStoreException failure(Poll<?> poll, String message) {
		Map<Node, LockStoreException> failures = poll.failures();
		long lasting = failures.values().stream().filter((failure) -> !failure.isTransient()).count();
		Throwable cause = timedOut();
		for (LockStoreException failure : failures.values()) {
			cause = failure;
		}
		long useless = failures.values().stream().filter(LockStoreException::isConnectionUseless).count();
		return new LockStoreException(message, cause, lasting <= spare(), poll.answers().size() + useless >= this.size);
	}

	LockStoreException noAnswer() {
		TimeoutException cause = timedOut();
		return new LockStoreException(String.valueOf(cause.getMessage()), cause, true);
	}

	private TimeoutException timedOut() {
		return new TimeoutException("No answer within %d ms".formatted(this.timeout.toMillis()));
	}

}
