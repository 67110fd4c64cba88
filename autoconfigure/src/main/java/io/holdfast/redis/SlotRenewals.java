package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.NotAnswered;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStore.RenewalOutcome;
import io.holdfast.engine.LockStoreException;

/**
 * Renews holds, one call for each slot. A slot that does not answer does not affect the
 * others.
 */
final class SlotRenewals {

	private static final int TIMEOUT_DIVISOR = 30;

	private static final Duration LEAST_TIMEOUT = Duration.ofMillis(500);

	private final Function<List<Renewal>, List<RenewalOutcome>> renewal;

	private final Slots slots;

	private final SlotExecutors executors;

	SlotRenewals(Function<List<Renewal>, List<RenewalOutcome>> renewal, Slots slots, SlotExecutors executors) {
		this.renewal = renewal;
		this.slots = slots;
		this.executors = executors;
	}

	List<RenewalOutcome> renew(List<Renewal> renewals) {
		List<Part> parts = new ArrayList<>();
		for (int i = 0; i < renewals.size(); i++) {
			parts.addAll(parts(i, renewals.get(i)));
		}
		Map<Part, RenewalOutcome> answers = new ConcurrentHashMap<>();
		if (this.slots.isCluster() && renewals.get(0).holdCount() != null) {
			askInTurn(parts, answers);
		}
		else if (this.slots.isCluster()) {
			this.executors.forEach(this.slots.bySlot(parts, Part::key), (group) -> ask(group, answers),
					timeout(renewals));
		}
		else {
			ask(parts, answers);
		}
		return outcomes(parts, Map.copyOf(answers));
	}

	// Nested: a caller waits for several slots no longer than for one that does not
	// answer
	private void askInTurn(List<Part> parts, Map<Part, RenewalOutcome> answers) {
		for (Part part : parts) {
			ask(List.of(part), answers);
			if (answers.get(part) instanceof NotAnswered) {
				return;
			}
		}
	}

	// Most of the lease is left to other holds that become due meanwhile
	private static Duration timeout(List<Renewal> renewals) {
		Duration shortest = renewals.stream().map(Renewal::lease).min(Comparator.naturalOrder()).orElseThrow();
		Duration timeout = shortest.dividedBy(TIMEOUT_DIVISOR);
		return (timeout.compareTo(LEAST_TIMEOUT) > 0) ? timeout : LEAST_TIMEOUT;
	}

	private static List<RenewalOutcome> outcomes(List<Part> parts, Map<Part, RenewalOutcome> answers) {
		Map<Integer, RenewalOutcome> outcomes = new TreeMap<>();
		for (Part part : parts) {
			RenewalOutcome answer = answers.get(part);
			outcomes.merge(part.index(), (answer != null) ? answer : unanswered(), RenewalOutcome::and);
		}
		return List.copyOf(outcomes.values());
	}

	private static NotAnswered unanswered() {
		return new NotAnswered(new LockStoreException(
				"The Cluster's master of this slot did not answer in time, or has not yet answered an earlier renewal",
				null, true));
	}

	private List<Part> parts(int index, Renewal renewal) {
		List<Part> parts = new ArrayList<>();
		for (List<Grant> group : this.slots.group(renewal.hold().grants(), Grant::key)) {
			parts.add(new Part(index, renewal.on(group)));
		}
		return parts;
	}

	private void ask(List<Part> parts, Map<Part, RenewalOutcome> answers) {
		try {
			Iterator<RenewalOutcome> outcomes = this.renewal.apply(parts.stream().map(Part::renewal).toList())
				.iterator();
			parts.forEach((part) -> answers.put(part, outcomes.next()));
		}
		catch (LockStoreException ex) {
			parts.forEach((part) -> answers.put(part, new NotAnswered(ex)));
		}
	}

	private record Part(int index, Renewal renewal) {

		private String key() {
			return this.renewal.hold().grants().get(0).key();
		}
	}

}
