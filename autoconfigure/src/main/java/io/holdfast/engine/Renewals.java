package io.holdfast.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import io.holdfast.LockLostException;
import io.holdfast.LockUnavailableException;
import io.holdfast.LogText;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.NotAnswered;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStore.RenewalOutcome;
import io.holdfast.engine.LockStore.Renewed;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the store for more time for holds, or whether they are held, and books the
 * answers. What many holds have on one server shares a request. Each server is asked by
 * threads of its own, and a hold is booked once all of its servers have answered, so that
 * it waits for no server of another hold.
 */
final class Renewals {

	// How many keys are renewed at once, unless a single hold has more
	private static final int BATCH_SIZE = 128;

	// The part of a lease for which a caller waits for the answers to several requests
	private static final int WAIT_DIVISOR = 10;

	private static final Logger logger = LoggerFactory.getLogger(Renewals.class);

	private final LockStore store;

	private final StoreThreads threads;

	private final Losses losses;

	private final EngineRuntime runtime;

	private volatile @Nullable Instant lastRenewal;

	Renewals(LockStore store, StoreThreads threads, Losses losses, EngineRuntime runtime) {
		this.store = store;
		this.threads = threads;
		this.losses = losses;
		this.runtime = runtime;
	}

	@Nullable Instant lastRenewal() {
		return this.lastRenewal;
	}

	// Holds that want no renewal are only checked. Answers come on the servers' threads
	void renewLater(Collection<Hold> holds, Answers answers) {
		send(batches(holds, Losses.GONE, answers));
	}

	// Returns whether all are known to be held or lost. Does not wait for long without an
	// answer
	boolean renew(Collection<Hold> holds, String lostBecause) {
		if (holds.isEmpty()) {
			return true;
		}
		AtomicInteger known = new AtomicInteger();
		Tally unanswered = new Tally(this.runtime);
		Queue<Batch> batches = batches(holds, lostBecause, (answered, failures) -> {
			known.addAndGet(answered.size() - failures.size());
			answered.forEach((hold) -> unanswered.end());
		});
		holds.forEach((hold) -> unanswered.begin());
		if (batches.size() == 1) {
			batches.element().ask();
		}
		else {
			send(batches);
			await(unanswered, holds);
		}
		return known.get() == holds.size();
	}

	private void await(Tally unanswered, Collection<Hold> holds) {
		Duration lease = holds.stream()
			.map((hold) -> hold.terms().lease())
			.min(Comparator.naturalOrder())
			.orElseThrow();
		unanswered.awaitNoneUninterruptibly(lease.dividedBy(WAIT_DIVISOR), () -> false);
	}

	private void send(Queue<Batch> batches) {
		try {
			while (!batches.isEmpty()) {
				Batch next = batches.element();
				this.threads.executeRenewal(next.to.server(), next::ask);
				batches.remove();
			}
		}
		finally { // if there can be no thread
			batches.forEach(Batch::fail);
		}
	}

	// In the order of the grants, which lie side by side in the store's memory
	private Queue<Batch> batches(Collection<Hold> holds, String lostBecause, Answers answers) {
		Queue<Batch> batches = new ArrayDeque<>();
		Map<Target, Batch> open = new LinkedHashMap<>();
		for (Hold hold : holds.stream().sorted(Comparator.comparingLong(Renewals::token)).toList()) {
			Map<String, List<Grant>> servers = byServer(hold);
			Asked asked = new Asked(hold, servers.size());
			servers.forEach((server, grants) -> {
				Target to = new Target(server, hold.context());
				Part part = new Part(asked, grants);
				Batch batch = open.get(to);
				if (batch == null || !batch.hasRoomFor(part)) {
					batch = new Batch(to, lostBecause, answers);
					open.put(to, batch);
					batches.add(batch);
				}
				batch.add(part);
			});
		}
		return batches;
	}

	private static long token(Hold hold) {
		return hold.grant().id().grants().get(0).token();
	}

	private Map<String, List<Grant>> byServer(Hold hold) {
		Map<String, List<Grant>> servers = new LinkedHashMap<>();
		for (Grant grant : hold.grant().id().grants()) {
			servers.computeIfAbsent(this.store.serverOf(List.of(grant.key())), (server) -> new ArrayList<>())
				.add(grant);
		}
		return servers;
	}

	// Asks again for what is still held if that fails at once
	private List<RenewalOutcome> ask(List<Hold> holds, List<Renewal> requests, Predicate<Hold> wanted) {
		long sentAt = this.runtime.nanos();
		List<RenewalOutcome> outcomes = new ArrayList<>(outcomes(requests));
		Duration after = Duration.ofNanos(this.runtime.nanos() - sentAt);
		List<Integer> failed = IntStream.range(0, holds.size())
			.filter((i) -> outcomes.get(i) instanceof NotAnswered unanswered
					&& Outage.mayRetryAtOnce(unanswered.failure(), after) && wanted.test(holds.get(i)))
			.boxed()
			.toList();
		if (!failed.isEmpty()) {
			Iterator<RenewalOutcome> second = outcomes(failed.stream().map(requests::get).toList()).iterator();
			failed.forEach((i) -> outcomes.set(i, second.next()));
		}
		if (IntStream.range(0, holds.size())
			.anyMatch((i) -> outcomes.get(i) instanceof Renewed && !requests.get(i).lease().isZero())) {
			this.lastRenewal = Instant.now();
		}
		return outcomes;
	}

	// Since it became due, it may have been held for as long as its caller wanted
	private static boolean isToRenew(Hold hold) {
		return hold.isHeld() && hold.wantedLease() != null;
	}

	private List<RenewalOutcome> outcomes(List<Renewal> requests) {
		try {
			return this.store.renew(requests);
		}
		catch (LockStoreException ex) {
			return Collections.nCopies(requests.size(), new NotAnswered(ex));
		}
	}

	private void book(Hold hold, long sentAt, RenewalOutcome outcome, String lostBecause) {
		if (outcome instanceof NotAnswered unanswered) {
			throw unanswered.failure();
		}
		if (outcome instanceof Renewed renewed) {
			hold.renewalFailure(null);
			hold.grant().confirm(sentAt);
			hold.lease().prolong(sentAt, renewed.lasts());
			this.losses.checkLease(hold);
		}
		else {
			hold.grant().doubt();
			this.losses.gone(hold, lostBecause);
		}
	}

	// The hold then lasts at least so long from now on
	boolean extend(Hold hold, Duration lease) {
		if (!hold.isHeld()) {
			this.losses.checkLease(hold);
			return false;
		}
		try {
			return renew(hold, lease, null);
		}
		catch (LockStoreException ex) {
			throw new LockUnavailableException("Lock '%s' could not be extended, and keeps its lease: %s"
				.formatted(hold.terms().keysText(), ex.getMessage()), ex);
		}
	}

	boolean confirm(Hold hold) {
		return renew(hold, hold.lease().remaining(), null);
	}

	// Asks the store about all of them, unless one is known to be lost. If the store does
	// not answer, a hold is good for the rest of its lease
	void ensureHeld(Collection<Hold> holds) {
		holds.forEach(this::ensureNotLost);
		List<Hold> held = holds.stream().filter(Hold::isHeld).toList();
		if (!held.isEmpty() && !pin(held)) {
			renew(holds, Losses.GONE);
		}
		holds.forEach(this::ensureNotLost);
	}

	private boolean pin(List<Hold> holds) {
		long sentAt = this.runtime.nanos();
		List<Renewal> requests = holds.stream().map((hold) -> new Renewal(hold.grant().id(), Duration.ZERO)).toList();
		try {
			List<RenewalOutcome> outcomes = this.store.pin(requests);
			for (int i = 0; i < outcomes.size(); i++) {
				book(holds.get(i), sentAt, outcomes.get(i), Losses.GONE);
			}
			return !outcomes.isEmpty();
		}
		catch (LockStoreException ex) {
			throw new LockUnavailableException("It could not be checked whether locks are held: " + ex.getMessage(),
					ex);
		}
	}

	// A hold that another thread is releasing just now is not lost, whatever becomes of
	// that
	private void ensureNotLost(Hold hold) {
		LockLostException loss = this.losses.checkLease(hold);
		if (loss != null) {
			throw new LockLostException(hold.terms().keysText(),
					"thread '%s' has acquired it and not released it since".formatted(hold.owner().threadName()), loss);
		}
	}

	// Asks for the lease that the latest acquisition wants, or for none
	boolean setCount(Hold hold, int count, Duration lease) {
		return renew(hold, lease, count);
	}

	private boolean renew(Hold hold, Duration lease, @Nullable Integer count) {
		return hold.context().call(() -> {
			long sentAt = this.runtime.nanos();
			Renewal request = request(hold, lease, count, sentAt);
			RenewalOutcome outcome = ask(List.of(hold), List.of(request), Hold::isHeld).get(0);
			book(hold, sentAt, outcome, Losses.GONE);
			return hold.isHeld();
		});
	}

	private static Renewal request(Hold hold, Duration lease, @Nullable Integer count, long sentAt) {
		hold.lease().asked(sentAt, lease);
		return new Renewal(hold.grant().id(), lease, count, (count == null) ? hold.nameForStore() : null);
	}

	interface Answers {

		// All that was asked for, and what has failed of it
		void accept(List<Hold> holds, Map<Hold, RuntimeException> failures);

	}

	private record Target(String server, RequestContext context) {
	}

	// What a hold has on one server
	private record Part(Asked asked, List<Grant> grants) {

		private Hold hold() {
			return this.asked.hold;
		}

		private Renewal request(long sentAt) {
			Duration wanted = Objects.requireNonNullElse(hold().wantedLease(), Duration.ZERO);
			return Renewals.request(hold(), wanted, null, sentAt).on(this.grants);
		}

	}

	private static final class Asked {

		private final Hold hold;

		private int unanswered;

		private @Nullable RenewalOutcome outcome;

		private long sentAt;

		private Asked(Hold hold, int servers) {
			this.hold = hold;
			this.unanswered = servers;
		}

		private synchronized void note(RenewalOutcome ofOneServer, long sentAt) {
			this.sentAt = (this.outcome != null) ? MonotonicClock.earlier(this.sentAt, sentAt) : sentAt;
			this.outcome = (this.outcome != null) ? this.outcome.and(ofOneServer) : ofOneServer;
		}

		private synchronized boolean isLastAnswer() {
			return --this.unanswered == 0;
		}

	}

	// One request
	private final class Batch {

		private static final NotAnswered UNSENT = new NotAnswered(
				new LockStoreException("The request could not be made", null, true));

		private final Target to;

		private final String lostBecause;

		private final Answers answers;

		private final List<Part> parts = new ArrayList<>();

		private int keys;

		private Batch(Target to, String lostBecause, Answers answers) {
			this.to = to;
			this.lostBecause = lostBecause;
			this.answers = answers;
		}

		private boolean hasRoomFor(Part part) {
			return this.keys + part.grants().size() <= BATCH_SIZE;
		}

		private void add(Part part) {
			this.parts.add(part);
			this.keys += part.grants().size();
		}

		// What was released meanwhile is not asked for
		private void ask() {
			List<Part> asked = this.parts.stream().filter((part) -> part.hold().isHeld()).toList();
			long sentAt = Renewals.this.runtime.nanos();
			List<? extends RenewalOutcome> outcomes = Collections.nCopies(asked.size(), UNSENT);
			try {
				List<Renewal> requests = asked.stream().map((part) -> part.request(sentAt)).toList();
				List<Hold> holds = asked.stream().map(Part::hold).toList();
				outcomes = this.to.context().call(() -> Renewals.this.ask(holds, requests, Renewals::isToRenew));
			}
			catch (RuntimeException ex) {
				outcomes = Collections.nCopies(asked.size(),
						new NotAnswered(new LockStoreException(ex.toString(), ex, true)));
			}
			finally { // also after an error
				Iterator<? extends RenewalOutcome> next = outcomes.iterator();
				asked.forEach((part) -> part.asked().note(next.next(), sentAt));
				conclude();
			}
		}

		private void fail() {
			this.parts.forEach((part) -> part.asked().note(UNSENT, 0));
			conclude();
		}

		// Books the holds that wait for no other answer. None affects another
		private void conclude() {
			List<Asked> complete = this.parts.stream().map(Part::asked).filter(Asked::isLastAnswer).toList();
			Map<Hold, RuntimeException> failures = new LinkedHashMap<>();
			try {
				complete.forEach((asked) -> book(asked, failures));
			}
			finally {
				this.answers.accept(complete.stream().map((asked) -> asked.hold).toList(), failures);
			}
		}

		private void book(Asked asked, Map<Hold, RuntimeException> failures) {
			Hold hold = asked.hold;
			RenewalOutcome outcome = asked.outcome;
			try {
				if (outcome != null) {
					Renewals.this.book(hold, asked.sentAt, outcome, this.lostBecause);
				}
			}
			catch (RuntimeException ex) {
				failures.put(hold, ex);
				hold.renewalFailure(ex);
				logger.debug("Could not ask whether lock '{}' is held", LogText.of(hold.terms().keysText()), ex);
			}
		}

	}

}
