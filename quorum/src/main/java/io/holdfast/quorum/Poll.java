package io.holdfast.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

import io.holdfast.engine.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * One request that is sent to several nodes at once, and stays open for a time. A node
 * that would be asked later than that is not asked any more. Time for which this JVM
 * stands still does not count: answers that came meanwhile are still read.
 */
final class Poll<T> {

	// In how many steps to wait: none counts for more than its planned length
	private static final int STEPS = 10;

	private final Map<Node, T> answers = new LinkedHashMap<>();

	private final Map<Node, LockStoreException> failures = new LinkedHashMap<>();

	private final List<Node> waiting = new ArrayList<>();

	private final List<Node> asked = new ArrayList<>();

	private final Function<Node, T> question;

	private final Consumer<Node> unasked;

	private final Punctuality punctuality;

	private final Duration timeout;

	private final long end;

	private @Nullable BiConsumer<Node, @Nullable T> late;

	private Poll(Punctuality punctuality, Duration timeout, Function<Node, T> question, Consumer<Node> unasked) {
		this.punctuality = punctuality;
		this.timeout = timeout;
		this.end = System.nanoTime() + timeout.toNanos();
		this.question = question;
		this.unasked = unasked;
	}

	// To be followed by await()
	static <T> Poll<T> start(Collection<Node> nodes, Punctuality punctuality, Duration timeout,
			Function<Node, T> question, Consumer<Node> unasked) {
		Poll<T> poll = new Poll<>(punctuality, timeout, question, unasked);
		poll.waiting.addAll(nodes);
		for (Node node : nodes) {
			if (!node.execute(() -> poll.ask(node))) {
				poll.refused(node);
			}
		}
		return poll;
	}

	private void refused(Node node) {
		synchronized (this) {
			this.waiting.remove(node);
		}
		this.unasked.accept(node);
	}

	private void ask(Node node) {
		long start = System.nanoTime();
		if (!begin(node, start)) {
			this.unasked.accept(node);
			return;
		}
		T answer = null;
		LockStoreException failure = null;
		try {
			answer = this.question.apply(node);
			if (System.nanoTime() - start <= this.timeout.toNanos()) {
				this.punctuality.note(node, true);
			}
		}
		catch (LockStoreException ex) {
			failure = ex;
		}
		catch (RuntimeException ex) {
			failure = new LockStoreException("Redis node %s could not be asked".formatted(node.name()), ex, true);
		}
		finally {
			noteFailure(node, failure, System.nanoTime() - start);
			settle(node, answer, failure);
		}
	}

	// A failure as late as this is a timeout of the client
	private void noteFailure(Node node, @Nullable LockStoreException failure, long after) {
		if (failure != null && after > this.timeout.toNanos() / 2) {
			this.punctuality.note(node, false);
		}
	}

	// A node is asked for as long as the caller waits, and until the end of the poll
	private synchronized boolean begin(Node node, long now) {
		boolean open = this.late == null || now - this.end < 0;
		return this.waiting.remove(node) && open && this.asked.add(node);
	}

	// Also without an answer: the caller no longer waits for that node
	private void settle(Node node, @Nullable T answer, @Nullable LockStoreException failure) {
		BiConsumer<Node, @Nullable T> late;
		synchronized (this) {
			late = this.late;
			this.asked.remove(node);
			if (late == null) {
				notifyAll();
				if (answer != null) {
					this.answers.put(node, answer);
				}
				else if (failure != null) {
					this.failures.put(node, failure);
				}
			}
		}
		if (late != null) {
			late.accept(node, answer);
		}
	}

	Poll<T> await(Predicate<Poll<T>> decided) {
		return await(decided, (node, late) -> {
		});
	}

	// Waits until the poll is decided, all nodes have answered, or its time is over. An
	// interrupt is put off meanwhile. Answers that come later do not count: 'late' gets
	// them with their nodes, and null for a failure
	Poll<T> await(Predicate<Poll<T>> decided, BiConsumer<Node, @Nullable T> late) {
		boolean interrupted = false;
		synchronized (this) {
			long left = this.timeout.toNanos();
			while (left > 0 && !isComplete() && !decided.test(this)) {
				long step = Math.min(left, this.timeout.toNanos() / STEPS + 1);
				long start = System.nanoTime();
				try {
					TimeUnit.NANOSECONDS.timedWait(this, step);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
				left -= Math.min(System.nanoTime() - start, step);
			}
			if (left <= 0) {
				this.waiting.forEach((node) -> this.punctuality.note(node, false));
				this.asked.forEach((node) -> this.punctuality.note(node, false));
			}
			this.late = late;
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
		return this;
	}

	private boolean isComplete() {
		return this.waiting.isEmpty() && this.asked.isEmpty();
	}

	// All have answered, or are known not to do so in time
	synchronized boolean isSettled(Collection<Node> nodes) {
		return nodes.stream()
			.noneMatch((node) -> this.punctuality.isPunctual(node)
					&& (this.waiting.contains(node) || this.asked.contains(node)));
	}

	synchronized Map<Node, T> answers() {
		return new LinkedHashMap<>(this.answers);
	}

	synchronized Map<Node, LockStoreException> failures() {
		return new LinkedHashMap<>(this.failures);
	}

	synchronized int count(Predicate<T> filter) {
		return (int) this.answers.values().stream().filter(filter).count();
	}

}
