package io.holdfast.actuate;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;

import io.holdfast.LockMode;
import io.holdfast.LockSnapshot;
import io.holdfast.actuate.WaitingLine.Waiters;
import io.holdfast.engine.EngineListener.LockWait;
import io.holdfast.engine.store.StoreView;
import io.holdfast.engine.store.StoreView.Holder;
import io.holdfast.engine.store.StoreView.KeyState;

/**
 * Describes locks as this instance knows them, and as they are in the store.
 */
final class LockDescriptions {

	private final OwnLocks own;

	private final Owners owners;

	private final WaitingLine line;

	LockDescriptions(OwnLocks own, Owners owners) {
		this.own = own;
		this.owners = owners;
		this.line = new WaitingLine(own, owners);
	}

	/**
	 * Describe a lock by what this instance knows of it.
	 */
	LockDescriptor describe(String key) {
		List<LockSnapshot> holds = this.own.holdsOf(key)
			.stream()
			.sorted(Comparator.comparing(LockSnapshot::fencingToken))
			.toList();
		LockMode mode = holds.isEmpty() ? null : holds.get(0).mode();
		List<HolderDescriptor> holders = holds.isEmpty() ? seenByWaiters(key)
				: holds.stream().limit(StoreView.MOST_HOLDERS).map((hold) -> describe(hold, key)).toList();
		Waiters waiters = this.line.describe(key);
		return LockDescriptor.of(key, this.own.name(key), mode, holders, waiters.told())
			.withCounts(holds.size(), waiters.count());
	}

	private HolderDescriptor describe(LockSnapshot hold, String key) {
		return new HolderDescriptor(this.owners.describe(hold.owner()), hold.since(), hold.remainingLease().toMillis(),
				hold.holdCount(), this.own.token(hold, key), null);
	}

	/**
	 * Who was in the way when the store was last asked. A waiter for several keys does
	 * not know which of them that was about.
	 */
	private List<HolderDescriptor> seenByWaiters(String key) {
		return this.own.waits(key)
			.stream()
			.filter((wait) -> wait.keys().size() == 1 && wait.holder() != null)
			.map(LockWait::holder)
			.limit(1)
			.map((holder) -> new HolderDescriptor(this.owners.describe(OwnerId.withoutKept(holder)), null, null, null,
					null, OwnerId.isKept(holder) ? true : null))
			.toList();
	}

	/**
	 * Describe a lock as it is in the store.
	 */
	LockDescriptor describe(KeyState state) {
		List<HolderDescriptor> holders = state.holders()
			.stream()
			.sorted(Comparator.comparing(Holder::kept).thenComparing(Holder::token))
			.map((holder) -> describe(holder, state.key()))
			.toList();
		Waiters waiters = this.line.describe(state);
		return LockDescriptor.of(state.key(), this.own.name(state.key()), state.mode(), holders, waiters.told())
			.withCounts(state.holderCount(), waiters.count())
			.withError(state.problem());
	}

	private HolderDescriptor describe(Holder holder, String key) {
		return new HolderDescriptor(this.owners.describe(holder.owner()), since(holder, key),
				holder.remaining().isNegative() ? null : holder.remaining().toMillis(), holder.holdCount(),
				holder.token(), holder.kept() ? true : null);
	}

	private Instant since(Holder holder, String key) {
		LockSnapshot hold = this.own.hold(key, holder.owner());
		return (hold != null && Long.valueOf(holder.token()).equals(this.own.token(hold, key))) ? hold.since()
				: granted(holder.token());
	}

	/**
	 * A token is the time of the grant in microseconds, by the server's clock, or a
	 * little more.
	 */
	private static Instant granted(long token) {
		Instant granted = Instant.EPOCH.plus(token, ChronoUnit.MICROS);
		Instant now = Instant.now();
		return granted.isAfter(now) ? now : granted;
	}

}
