package io.holdfast.engine;

import java.time.Duration;
import java.util.List;

import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.HoldId;

/**
 * A hold that is known, and perhaps to be kept for the rest of a time.
 */
final class EndedHold extends Leftover {

	private final HoldId hold;

	private final long keptUntil;

	private final LockStore store;

	private final MonotonicClock clock;

	EndedHold(Id id, String holder, Grant grant, long until, long keptUntil, LockStore store, MonotonicClock clock) {
		super(id, until);
		this.hold = new HoldId(holder, List.of(grant));
		this.keptUntil = keptUntil;
		this.store = store;
		this.clock = clock;
	}

	@Override
	boolean clear() {
		long rest = rest();
		if (rest > 0) {
			this.store.keep(this.hold, Duration.ofNanos(rest));
		}
		else {
			this.store.release(this.hold, 0);
		}
		return true;
	}

	@Override
	boolean isToBeKept() {
		return rest() > 0;
	}

	private long rest() {
		return this.keptUntil - this.clock.nanos();
	}

}
