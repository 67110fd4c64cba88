package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

import io.holdfast.engine.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * One question that is put to several nodes at once.
 *
 * @param <T> the answers
 */
final class Poll<T> {

	private final Map<Node, T> answers = new LinkedHashMap<>();

	private final Map<Node, LockStoreException> failures = new LinkedHashMap<>();

	private final List<Node> waiting = new ArrayList<>();

	private final List<Node> asked = new ArrayList<>();

	private final Function<Node, T> question;

	private @Nullable Consumer<Node> late;

	private Poll(Function<Node, T> question) {
		this.question = question;
	}

	/**
	 * Ask nodes, without waiting for them.
	 */
	static <T> Poll<T> start(Collection<Node> nodes, Function<Node, T> question) {
		Poll<T> poll = new Poll<>(question);
		poll.waiting.addAll(nodes);
		nodes.forEach((node) -> node.execute(() -> poll.ask(node)));
		return poll;
	}

	private void ask(Node node) {
		if (!begin(node)) {
			return;
		}
		try {
			answered(node, this.question.apply(node));
		}
		catch (LockStoreException ex) {
			failed(node, ex);
		}
		catch (RuntimeException | Error ex) {
			failed(node, new LockStoreException("Redis node %s could not be asked".formatted(node.name()), ex, true));
		}
	}

	private synchronized boolean begin(Node node) {
		return this.waiting.remove(node) && this.asked.add(node);
	}

	private void answered(Node node, T answer) {
		settle(node, () -> this.answers.put(node, answer));
	}

	private void failed(Node node, LockStoreException failure) {
		settle(node, () -> this.failures.put(node, failure));
	}

	private void settle(Node node, Runnable result) {
		Consumer<Node> late;
		synchronized (this) {
			late = this.late;
			this.asked.remove(node);
			if (late == null) {
				result.run();
				notifyAll();
			}
		}
		if (late != null) {
			late.accept(node);
		}
	}

	/**
	 * Wait until the poll is decided or all nodes have answered, but not for longer than
	 * a time. An interrupt is put off until then.
	 */
	synchronized Poll<T> await(Duration timeout, Predicate<Poll<T>> decided) {
		long end = System.nanoTime() + timeout.toNanos();
		boolean interrupted = false;
		long remaining = timeout.toNanos();
		while (remaining > 0 && !isComplete() && !decided.test(this)) {
			try {
				TimeUnit.NANOSECONDS.timedWait(this, remaining);
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
			remaining = end - System.nanoTime();
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
		return this;
	}

	private boolean isComplete() {
		return this.waiting.isEmpty() && this.asked.isEmpty();
	}

	/**
	 * Take no more answers. Nodes that have not been asked by now will not be.
	 * @param late is told of each node that answers, or fails to, after all
	 * @return the nodes that were never asked
	 */
	synchronized List<Node> close(Consumer<Node> late) {
		List<Node> never = List.copyOf(this.waiting);
		this.waiting.clear();
		this.late = late;
		return never;
	}

	synchronized boolean isSettled(Collection<Node> nodes) {
		return nodes.stream().noneMatch((node) -> this.waiting.contains(node) || this.asked.contains(node));
	}

	synchronized Map<Node, T> answers() {
		return new LinkedHashMap<>(this.answers);
	}

	synchronized Map<Node, LockStoreException> failures() {
		return new LinkedHashMap<>(this.failures);
	}

	/**
	 * Return how many nodes have answered in a certain way.
	 */
	synchronized int count(Predicate<T> filter) {
		return (int) this.answers.values().stream().filter(filter).count();
	}

}
