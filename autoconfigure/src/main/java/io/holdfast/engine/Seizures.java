package io.holdfast.engine;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.LockMode;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.engine.StoreView.KeyState;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Locks that operators take away from their holders, here or elsewhere. Whoever is said
 * to have lost a lock like that has not lost it before the store says so: the message may
 * be late, or false.
 */
final class Seizures {

	private static final Logger logger = LoggerFactory.getLogger(Seizures.class);

	private static final String REASON = "an operator has released it";

	/**
	 * How often a hold is looked for that is not there, at growing intervals: for a
	 * second or two.
	 */
	private static final int MOST_LOOKS = 6;

	private final LockStore store;

	private final Holds holds;

	private final HoldChecks checks;

	private final Housekeeper housekeeper;

	Seizures(LockStore store, Holds holds, HoldChecks checks, Housekeeper housekeeper) {
		this.store = store;
		this.holds = holds;
		this.checks = checks;
		this.housekeeper = housekeeper;
	}

	/**
	 * Take a lock away from its holders.
	 * @return what was held, or {@code null} when nothing was
	 */
	@Nullable KeyState takeAway(String key) {
		KeyState taken = this.store.view().takeAway(key);
		if (taken != null) {
			taken.holders().forEach((holder) -> takenAway(taken, holder));
		}
		return taken;
	}

	private void takenAway(KeyState taken, Holder holder) {
		logger.atWarn()
			.addKeyValue("key", taken.key())
			.addKeyValue("owner", holder.owner())
			.addKeyValue("token", holder.token())
			.log("Lock '{}' of {} was released by force: {} {}, held {} times, token {}, {} ms left", taken.key(),
					holder.owner(), (taken.mode() == LockMode.SHARED) ? "shared" : "exclusive",
					holder.kept() ? "but only kept" : "in use", holder.holdCount(), holder.token(),
					holder.remaining().toMillis());
		checkSoon(new HoldId(taken.key(), holder.owner(), holder.token()));
	}

	/**
	 * Ask the store whether a hold is still there, if it is one of this instance. It may
	 * not be in the books yet: the message can overtake the reply to the request that the
	 * hold was granted for.
	 */
	void checkSoon(HoldId taken) {
		AtomicInteger looks = new AtomicInteger();
		this.housekeeper.repeat(() -> check(taken) || looks.incrementAndGet() == MOST_LOOKS);
	}

	private boolean check(HoldId taken) {
		Grant grant = taken.grants().get(0);
		Hold hold = this.holds.find(grant.key(), taken.owner());
		if (hold == null || !hold.id().grants().contains(grant)) {
			return false;
		}
		this.checks.check(List.of(hold), REASON);
		return true;
	}

}
