package io.holdfast.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.LogText;
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

	private final ThreadPoolExecutor threads = DaemonThreads.single("holdfast-clearing");

	private final AtomicInteger answers = new AtomicInteger();

	private final long silence;

	private volatile long lastAnswer = System.nanoTime();

	private long end;

	Clearing() {
		this(LONGEST_SILENCE, LONGEST);
	}

	/**
	 * Begin to clear.
	 * @param silence how long to go on without an answer
	 * @param longest how long to go on in any case
	 */
	Clearing(Duration silence, Duration longest) {
		this.silence = silence.toNanos();
		this.end = this.lastAnswer + longest.toNanos();
	}

	/**
	 * Clear leftovers away, as far as there is time. An interrupt does not keep this from
	 * being done. Afterwards they are claimed, so that what is still under way leaves
	 * later grants alone.
	 */
	void clear(Collection<Leftover> leftovers) {
		this.end += FOR_EACH.multipliedBy(leftovers.size()).toNanos();
		if (!isOver()) {
			CompletableFuture<?>[] ends = leftovers.stream()
				.map((leftover) -> CompletableFuture.runAsync(() -> attempt(leftover), this.threads))
				.toArray(CompletableFuture<?>[]::new);
			await(CompletableFuture.allOf(ends));
			this.threads.getQueue().clear();
		}
		leftovers.forEach(Leftover::claim);
	}

	boolean isOver() {
		long now = System.nanoTime();
		return now - this.lastAnswer > this.silence || now - this.end > 0;
	}

	private void await(CompletableFuture<?> done) {
		while (!done.isDone() && !isOver()) {
			int before = this.answers.get();
			done.thenAccept((none) -> {
			}).completeOnTimeout(null, PATIENCE.toMillis(), TimeUnit.MILLISECONDS).join();
			addThreads((this.answers.get() == before) ? MOST_THREADS : USUAL_THREADS);
		}
	}

	private void addThreads(int most) {
		int present = this.threads.getCorePoolSize();
		int more = Math.max(present, Math.min(present * 2, most));
		try {
			this.threads.setMaximumPoolSize(more);
			this.threads.setCorePoolSize(more);
		}
		catch (OutOfMemoryError ex) {
			logger.debug("There is no other thread to clear locks away", ex);
		}
	}

	private void attempt(Leftover leftover) {
		try {
			leftover.clear();
			answered();
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Could not clear away {}; it expires by itself", LogText.of(leftover.id()), ex);
			if (ex instanceof LockStoreException failure && !failure.isTransient()) {
				answered();
			}
		}
	}

	private void answered() {
		this.lastAnswer = System.nanoTime();
		this.answers.incrementAndGet();
	}

}
