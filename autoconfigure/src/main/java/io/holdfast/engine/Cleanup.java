package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.LogText;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.LockStoreException.BusyException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases and withdrawals that the store has not confirmed yet. Each names its hold by
 * tokens or its claim, so that nothing else is touched. They are repeated in the
 * background until the store has answered or the lease is over. What may be in the way of
 * a caller of this instance is sent before it asks.
 */
final class Cleanup {

	private static final Logger logger = LoggerFactory.getLogger(Cleanup.class);

	// For how many keys, and how often for one, a withdrawal is repeated beyond a lease
	private static final int MOST_LATE_KEYS = 1000;

	private static final int MOST_LATE_OF_ONE = 16;

	// A request may be on its way for longer than a short lease, and would leave a place
	private static final Duration LEAST_REFUSED = Duration.ofSeconds(10);

	private final ConcurrentHashMap<String, List<Message>> messagesByKey = new ConcurrentHashMap<>();

	private final LockStore store;

	private final StoreThreads threads;

	private final Shutdown shutdown;

	private final EngineRuntime runtime;

	Cleanup(LockStore store, StoreThreads threads, Shutdown shutdown, EngineRuntime runtime) {
		this.store = store;
		this.threads = threads;
		this.shutdown = shutdown;
		this.runtime = runtime;
	}

	// Sends what may be in the way of a caller: what concerns grants, and its own places.
	// After an outage, all places would take too long, and so would all messages to a
	// caller whose time is over meanwhile. Throws if the store has not answered for a
	// while, and would not answer the caller either, or if the caller is interrupted
	void settle(List<String> keys, String owner, Deadline deadline) {
		for (String key : keys) {
			for (Message message : this.messagesByKey.getOrDefault(key, List.of())) {
				if (deadline.isOver() && !deadline.isOneAttempt()) {
					return;
				}
				boolean mayBeInTheWay = message.waiter == null || message.waiter.equals(owner);
				if (mayBeInTheWay && !settle(message)) {
					return;
				}
			}
		}
	}

	private boolean settle(Message message) {
		long begun = now();
		RuntimeException failure = attempt(message);
		if (failure instanceof LockStoreException noAnswer && Outage.mayRetryAtOnce(noAnswer, since(begun))) {
			failure = attempt(message);
		}
		if (failure instanceof LockStoreException noAnswer && !(noAnswer instanceof BusyException)
				&& (Outage.isInterrupt(noAnswer) || !Outage.failedAtOnce(noAnswer, since(begun)))) {
			throw noAnswer;
		}
		if (failure == null) {
			remove(message);
		}
		return failure == null;
	}

	void release(HoldId hold, long until, Duration keptFor) {
		releaseMessages(hold, until, now() + keptFor.toNanos()).forEach(this::send);
	}

	// Releases a grant that is not wanted, now or as soon as the store answers
	void giveBack(HoldId granted, Duration lease) {
		Deque<Message> left = releaseMessages(granted, now() + MonotonicClock.toNanos(lease), now())
			.collect(Collectors.toCollection(ArrayDeque::new));
		try {
			while (!left.isEmpty() && attempt(left.peek()) == null) {
				left.remove();
			}
		}
		finally { // also after an error
			left.forEach(this::send);
		}
	}

	// Withdraws a claim's places and grants. If requests may be late, the store is to
	// refuse them: a server that was frozen may carry one out even after the longest
	// lease
	void withdraw(Claim claim, Duration lease, boolean late, @Nullable String waiter) {
		QueuePlace place = claim.place();
		long kept = (place != null) ? place.kept().toNanos() * QueuePlace.LAST_COUNTED_POSITION : 0;
		long until = now() + Math.max(kept, MonotonicClock.toNanos(lease));
		Duration refused = !late ? Duration.ZERO : (lease.compareTo(LEAST_REFUSED) > 0) ? lease : LEAST_REFUSED;
		for (String key : claim.keys()) {
			boolean beyond = late && this.messagesByKey.size() < MOST_LATE_KEYS
					&& this.messagesByKey.getOrDefault(key, List.of()).size() < MOST_LATE_OF_ONE;
			send(new Message(key, until, waiter, beyond, RequestContext.of(this.store),
					() -> this.store.withdraw(claim.on(List.of(key)), refused)));
		}
	}

	// Releases a hold when all is cleared
	void releaseInShutdown(HoldId hold, long until, Duration keptFor) {
		releaseMessages(hold, until, now() + keptFor.toNanos()).forEach(this::add);
	}

	// Sends everything once, as far as the store answers in time. What is added after
	// this is repeated in the background again
	void clearAll(ShutdownTasks tasks) {
		sendAll(tasks);
		this.threads.forgetRepetitions();
		sendAll(tasks);
	}

	private void sendAll(ShutdownTasks tasks) {
		do {
			List<Message> all = takeAll();
			tasks.run(all.stream().<BooleanSupplier>map((message) -> () -> isAnswer(attempt(message))).toList());
			all.forEach((message) -> message.sent = true);
		}
		while (!this.messagesByKey.isEmpty() && !tasks.isOver());
	}

	private static boolean isAnswer(@Nullable RuntimeException failure) {
		return failure == null || (failure instanceof LockStoreException known && !known.isTransient());
	}

	private List<Message> takeAll() {
		return this.messagesByKey.keySet()
			.stream()
			.flatMap((key) -> Stream.ofNullable(this.messagesByKey.remove(key)).flatMap(List::stream))
			.toList();
	}

	private Stream<Message> releaseMessages(HoldId hold, long until, long keptUntil) {
		return hold.grants().stream().map((grant) -> {
			HoldId part = new HoldId(hold.holder(), List.of(grant));
			return new Message(grant.key(), until, null, false, RequestContext.of(this.store),
					() -> this.store.end(part, Duration.ofNanos(keptUntil - now())));
		});
	}

	private void send(Message message) {
		add(message);
		this.threads.repeat(List.of(message.key), () -> {
			boolean done = isOver(message) || attempt(message) == null;
			if (done) {
				remove(message);
			}
			return done;
		});
	}

	private boolean isOver(Message message) {
		boolean late = message.late && !this.shutdown.isClosed();
		return message.sent || (!late && now() - message.until >= 0);
	}

	private static @Nullable RuntimeException attempt(Message message) {
		try {
			message.context.run(message::send);
			return null;
		}
		catch (RuntimeException ex) {
			logger.debug("Could not clean up lock '{}'", LogText.of(message.key), ex);
			message.late &= !isAnswer(ex);
			return ex;
		}
	}

	private void add(Message message) {
		this.messagesByKey.merge(message.key, List.of(message),
				(present, added) -> Stream.concat(present.stream(), added.stream()).toList());
	}

	private void remove(Message message) {
		this.messagesByKey.computeIfPresent(message.key, (key, present) -> {
			List<Message> others = present.stream().filter((other) -> other != message).toList();
			return others.isEmpty() ? null : others;
		});
	}

	private Duration since(long begun) {
		return Duration.ofNanos(now() - begun);
	}

	private long now() {
		return this.runtime.nanos();
	}

	private static final class Message {

		private final String key;

		private final long until;

		private final @Nullable String waiter;

		private final RequestContext context;

		private final Runnable call;

		// Whether a request may still be carried out, as long as there is no answer
		private volatile boolean late;

		private volatile boolean sent;

		Message(String key, long until, @Nullable String waiter, boolean late, RequestContext context, Runnable call) {
			this.key = key;
			this.until = until;
			this.waiter = waiter;
			this.late = late;
			this.context = context;
			this.call = call;
		}

		void send() {
			if (!this.sent) {
				this.call.run();
				this.sent = true;
			}
		}

	}

}
