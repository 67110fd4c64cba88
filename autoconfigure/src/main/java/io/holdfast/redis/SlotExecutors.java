package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.holdfast.engine.DaemonThreads;
import io.holdfast.redis.connection.LockClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles slots of a Cluster, several at once, so that a master that does not answer does
 * not delay the others. The slots of a master are divided into groups, whose slots are
 * handled one after the other. A group that is late gets no new work until it is done.
 */
final class SlotExecutors {

	private static final Logger logger = LoggerFactory.getLogger(SlotExecutors.class);

	private static final int GROUPS_OF_A_MASTER = 4;

	private final SlotMasters masters;

	private final ThreadPoolExecutor executor = DaemonThreads.unlimited(DaemonThreads.named("holdfast-store"));

	private final Set<Run<?>> hanging = ConcurrentHashMap.newKeySet();

	SlotExecutors(LockClient redis) {
		this.masters = new SlotMasters(redis, this.executor);
	}

	void close() {
		DaemonThreads.endIdle(this.executor);
	}

	SlotMasters masters() {
		return this.masters;
	}

	// Returns after a time at the latest. Actions under way then go on, but none is begun
	<T> void forEach(Map<Integer, T> slots, Consumer<T> action, Duration atMost) {
		this.masters.refresh();
		Map<String, List<T>> groups = new LinkedHashMap<>();
		slots.forEach((slot, thing) -> groups.computeIfAbsent(group(slot), (group) -> new ArrayList<>()).add(thing));
		this.hanging.forEach((run) -> groups.remove(run.group));
		CountDownLatch busy = new CountDownLatch(groups.size());
		List<Run<T>> runs = groups.entrySet()
			.stream()
			.map((group) -> new Run<>(group.getKey(), group.getValue(), action, busy))
			.toList();
		runs.forEach(this.executor::execute);
		await(busy, atMost);
		runs.forEach(Run::abandon);
	}

	private String group(int slot) {
		return this.masters.masterOf(slot) + "/" + slot % GROUPS_OF_A_MASTER;
	}

	private static void await(CountDownLatch latch, Duration atMost) {
		boolean interrupted = Thread.interrupted();
		long end = System.nanoTime() + atMost.toNanos();
		boolean over = false;
		while (!over) {
			try {
				latch.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
				over = true;
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	private final class Run<T> implements Runnable {

		private final String group;

		private final List<T> things;

		private final Consumer<T> action;

		private final CountDownLatch busy;

		private boolean ended;

		private volatile boolean abandoned;

		private Run(String group, List<T> things, Consumer<T> action, CountDownLatch busy) {
			this.group = group;
			this.things = things;
			this.action = action;
			this.busy = busy;
		}

		@Override
		public void run() {
			try {
				this.things.stream().takeWhile((thing) -> !this.abandoned).forEach(this::act);
			}
			finally {
				end();
				this.busy.countDown();
			}
		}

		// A failure for one slot does not affect the others
		private void act(T thing) {
			try {
				this.action.accept(thing);
			}
			catch (RuntimeException ex) {
				logger.debug("A slot of the Cluster was not handled", ex);
			}
		}

		private synchronized void end() {
			this.ended = true;
			if (this.abandoned) {
				SlotExecutors.this.hanging.remove(this);
			}
		}

		private synchronized void abandon() {
			if (!this.ended) {
				this.abandoned = true;
				SlotExecutors.this.hanging.add(this);
			}
		}

	}

}
