package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.engine.LockStore.Gone;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.NotAnswered;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStore.RenewalOutcome;
import io.holdfast.engine.LockStore.Renewed;
import io.holdfast.engine.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Renews holds, each slot in one call. A slot that cannot be asked does not keep the
 * others from being renewed.
 */
final class SlotRenewals {

	private final SlotLocks locks;

	private final Slots slots;

	SlotRenewals(SlotLocks locks, Slots slots) {
		this.locks = locks;
		this.slots = slots;
	}

	List<RenewalOutcome> renew(List<Renewal> renewals) {
		List<@Nullable RenewalOutcome> outcomes = new ArrayList<>();
		List<Part> parts = new ArrayList<>();
		for (int i = 0; i < renewals.size(); i++) {
			outcomes.add(null);
			parts.addAll(parts(i, renewals.get(i)));
		}
		for (List<Part> group : this.slots.group(parts, Part::key)) {
			List<RenewalOutcome> ofGroup = ask(group.stream().map(Part::renewal).toList());
			for (int i = 0; i < group.size(); i++) {
				int index = group.get(i).index();
				outcomes.set(index, worse(outcomes.get(index), ofGroup.get(i)));
			}
		}
		return outcomes.stream().map((outcome) -> (outcome != null) ? outcome : new Gone()).toList();
	}

	private List<Part> parts(int index, Renewal renewal) {
		List<Part> parts = new ArrayList<>();
		for (List<Grant> group : this.slots.group(renewal.hold().grants(), Grant::key)) {
			HoldId part = new HoldId(renewal.hold().owner(), List.copyOf(group));
			parts.add(new Part(index, new Renewal(part, renewal.lease())));
		}
		return parts;
	}

	private List<RenewalOutcome> ask(List<Renewal> renewals) {
		try {
			return this.locks.renew(renewals, null).stream().map(SlotRenewals::outcome).toList();
		}
		catch (LockStoreException ex) {
			return renewals.stream().<RenewalOutcome>map((renewal) -> new NotAnswered(ex)).toList();
		}
	}

	private static RenewalOutcome outcome(@Nullable Duration lasts) {
		return (lasts != null) ? new Renewed(lasts) : new Gone();
	}

	/**
	 * A hold that is gone in one slot is gone; it lasts as long as in each of them.
	 */
	private static RenewalOutcome worse(@Nullable RenewalOutcome one, RenewalOutcome other) {
		if (one == null || other instanceof Gone) {
			return other;
		}
		if (one instanceof Renewed first && other instanceof Renewed second) {
			return (second.lasts().compareTo(first.lasts()) < 0) ? second : first;
		}
		return (one instanceof Renewed) ? other : one;
	}

	/**
	 * What of a renewal is in one slot.
	 *
	 * @param index which renewal it is a part of
	 * @param renewal the part
	 */
	private record Part(int index, Renewal renewal) {

		private String key() {
			return this.renewal.hold().grants().get(0).key();
		}
	}

}
