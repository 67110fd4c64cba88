package io.holdfast.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.LogText;
import io.holdfast.engine.runtime.EngineRuntime;
import io.holdfast.engine.runtime.Tally;
import io.holdfast.engine.store.LockStoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Clears away for the last time, in a shutdown, what is left in the store: each once, and
 * many at a time, so that those which get no answer do not keep others from theirs. How
 * long that takes is limited, however long the store's client would wait.
 */
final class Clearing {

	private static final Logger logger = LoggerFactory.getLogger(Clearing.class);

	private static final Duration LONGEST_SILENCE = Duration.ofSeconds(2);

	private static final Duration LONGEST = Duration.ofSeconds(10);

	/**
	 * What a store that answers is given for each leftover beyond that: very many take
	 * long.
	 */
	private static final Duration FOR_EACH = Duration.ofMillis(1);

	/**
	 * After so long there are to be more threads.
	 */
	private static final Duration PATIENCE = Duration.ofMillis(100);

	/**
	 * How many threads there are at most while answers come.
	 */
	private static final int USUAL_THREADS = 8;

	private static final int MOST_THREADS = 256;

	private final AtomicInteger answers = new AtomicInteger();

	private final EngineRuntime runtime;

	private final Executor executor;

	private final long silence;

	private int threads;

	private volatile long lastAnswer;

	private long end;

	Clearing(EngineRuntime runtime) {
		this(runtime, LONGEST_SILENCE, LONGEST);
	}

	/**
	 * Begin to clear.
	 * @param silence how long to go on without an answer
	 * @param longest how long to go on in any case
	 */
	Clearing(EngineRuntime runtime, Duration silence, Duration longest) {
		this.runtime = runtime;
		this.executor = runtime.newUnlimitedExecutor("holdfast-clearing");
		this.silence = silence.toNanos();
		this.lastAnswer = runtime.nanos();
		this.end = this.lastAnswer + longest.toNanos();
	}

	/**
	 * Send messages, as far as there is time. An interrupt does not keep this from being
	 * done. What could not be cleared away in time is left to expire.
	 */
	void clear(Collection<Cleanup.Message> messages) {
		this.end += FOR_EACH.multipliedBy(messages.size()).toNanos();
		if (!isOver()) {
			Queue<Cleanup.Message> left = new ConcurrentLinkedQueue<>(messages);
			Tally underWay = new Tally(this.runtime);
			messages.forEach((message) -> underWay.begin());
			clear(left, underWay);
			left.clear();
		}
		messages.forEach(Cleanup.Message::settle);
	}

	private void clear(Queue<Cleanup.Message> left, Tally underWay) {
		boolean interrupted = Thread.interrupted();
		this.threads = 0;
		addThreads(1, left, underWay);
		while (underWay.count() > 0 && !isOver()) {
			int before = this.answers.get();
			underWay.awaitNone(PATIENCE);
			interrupted |= Thread.interrupted();
			int most = (this.answers.get() == before) ? MOST_THREADS : USUAL_THREADS;
			addThreads(Math.min(Math.max(1, this.threads * 2), most), left, underWay);
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	boolean isOver() {
		long now = this.runtime.nanos();
		return now - this.lastAnswer > this.silence || now - this.end > 0;
	}

	private void addThreads(int wanted, Queue<Cleanup.Message> left, Tally underWay) {
		try {
			while (this.threads < wanted && !left.isEmpty()) {
				this.executor.execute(() -> attemptAll(left, underWay));
				this.threads++;
			}
		}
		catch (Throwable ex) {
			logger.debug("There is no other thread to clear locks away", ex);
		}
	}

	private void attemptAll(Queue<Cleanup.Message> left, Tally underWay) {
		for (Cleanup.Message next = left.poll(); next != null; next = left.poll()) {
			try {
				attempt(next);
			}
			finally {
				underWay.end();
			}
		}
	}

	private void attempt(Cleanup.Message message) {
		try {
			message.send();
			answered();
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Could not clear away {}; it expires by itself", LogText.of(message.key()), ex);
			if (ex instanceof LockStoreException failure && !failure.isTransient()) {
				answered();
			}
		}
	}

	private void answered() {
		this.lastAnswer = this.runtime.nanos();
		this.answers.incrementAndGet();
	}

}
