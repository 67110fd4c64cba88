package io.holdfast.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import io.holdfast.LogText;
import io.holdfast.engine.LockStore.NotAnswered;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStore.RenewalOutcome;
import io.holdfast.engine.LockStore.Renewed;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

final class Renewals {

	private static final Logger logger = LoggerFactory.getLogger(Renewals.class);

	private final LockStore store;

	private final Losses losses;

	private final MonotonicClock clock;

	private volatile @Nullable Instant lastRenewal;

	Renewals(LockStore store, Losses losses, MonotonicClock clock) {
		this.store = store;
		this.losses = losses;
		this.clock = clock;
	}

	// Holds that want no renewal are only checked
	Map<Hold, RuntimeException> renew(List<Hold> holds, String lostBecause) {
		Map<Hold, RuntimeException> failures = new LinkedHashMap<>();
		if (holds.isEmpty()) {
			return failures;
		}
		long sentAt = this.clock.nanos();
		try {
			List<Renewal> requests = holds.stream()
				.map((hold) -> request(hold, Objects.requireNonNullElse(hold.wantedLease(), Duration.ZERO), sentAt))
				.toList();
			List<RenewalOutcome> outcomes = ask(holds, requests, Renewals::isToRenew);
			for (int i = 0; i < holds.size(); i++) {
				book(holds.get(i), sentAt, requests.get(i), outcomes.get(i), lostBecause, failures);
			}
		}
		catch (RuntimeException ex) {
			holds.forEach((hold) -> failures.put(hold, ex));
		}
		failures.forEach(Renewals::failed);
		return failures;
	}

	// Asks again for what is still held if that fails at once
	private List<RenewalOutcome> ask(List<Hold> holds, List<Renewal> requests, Predicate<Hold> wanted) {
		long sentAt = this.clock.nanos();
		List<RenewalOutcome> outcomes = new ArrayList<>(outcomes(requests));
		Duration after = Duration.ofNanos(this.clock.nanos() - sentAt);
		List<Integer> failed = IntStream.range(0, holds.size())
			.filter((i) -> outcomes.get(i) instanceof NotAnswered unanswered
					&& Outage.isMadeAgain(unanswered.failure(), after) && wanted.test(holds.get(i)))
			.boxed()
			.toList();
		if (!failed.isEmpty()) {
			Iterator<RenewalOutcome> second = outcomes(failed.stream().map(requests::get).toList()).iterator();
			failed.forEach((i) -> outcomes.set(i, second.next()));
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

	@Nullable Instant lastRenewal() {
		return this.lastRenewal;
	}

	private static Renewal request(Hold hold, Duration lease, long sentAt) {
		hold.lease().asked(sentAt, lease);
		return new Renewal(hold.grant().id(), lease, null, hold.takeNameForStore());
	}

	// A failure does not affect the others
	private void book(Hold hold, long sentAt, Renewal request, RenewalOutcome outcome, String lostBecause,
			Map<Hold, RuntimeException> failures) {
		try {
			book(hold, sentAt, request, outcome, lostBecause);
		}
		catch (RuntimeException ex) {
			failures.put(hold, ex);
		}
	}

	private void book(Hold hold, long sentAt, Renewal request, RenewalOutcome outcome, String lostBecause) {
		if (outcome instanceof NotAnswered unanswered) {
			throw unanswered.failure();
		}
		if (outcome instanceof Renewed renewed) {
			hold.renewalFailure(null);
			hold.grant().confirm(sentAt);
			hold.lease().prolong(sentAt, renewed.lasts());
			this.losses.checkLease(hold);
			if (!request.lease().isZero()) {
				this.lastRenewal = Instant.now();
			}
		}
		else {
			hold.grant().doubt();
			this.losses.gone(hold, lostBecause);
		}
	}

	private static void failed(Hold hold, RuntimeException failure) {
		hold.renewalFailure(failure);
		logger.debug("Could not ask whether lock '{}' is held", LogText.of(hold.terms().text()), failure);
	}

	// The hold then lasts at least so long from now on
	boolean extend(Hold hold, Duration lease) {
		long sentAt = this.clock.nanos();
		return renew(hold, request(hold, lease, sentAt), sentAt);
	}

	// Asks for the lease that the latest acquisition wants, or for none
	boolean count(Hold hold, int count, Duration lease) {
		long sentAt = this.clock.nanos();
		hold.lease().asked(sentAt, lease);
		return renew(hold, new Renewal(hold.grant().id(), lease, count, null), sentAt);
	}

	private boolean renew(Hold hold, Renewal request, long sentAt) {
		book(hold, sentAt, request, ask(List.of(hold), List.of(request), Hold::isHeld).get(0), Losses.GONE);
		return hold.isHeld();
	}

}
