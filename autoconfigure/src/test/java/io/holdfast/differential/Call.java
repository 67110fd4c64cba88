package io.holdfast.differential;

import java.time.Duration;
import java.util.List;

import io.holdfast.differential.NamedHold.NamedGrant;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Renewal;
import org.jspecify.annotations.Nullable;

/**
 * A call of a store, or something that happens to it, which can be repeated elsewhere.
 */
sealed interface Call {

	Answer on(Side side);

	record Acquire(Claim claim) implements Call {

		@Override
		public Answer on(Side side) {
			return Answer.of(side, this.claim, side.storeOf(this.claim.owner()).acquire(this.claim));
		}

	}

	record Renew(List<NamedHold> holds, Duration lease, @Nullable Integer count,
			@Nullable String passedTo) implements Call {

		@Override
		public Answer on(Side side) {
			List<Renewal> renewals = this.holds.stream()
				.map((hold) -> new Renewal(side.tokens().value(hold), this.lease, this.count, this.passedTo))
				.toList();
			return Answer
				.of(side.storeOf(this.holds.get(0).holder()).renew(renewals).stream().map(Answer::text).toList());
		}

	}

	record Release(NamedHold hold) implements Call {

		@Override
		public Answer on(Side side) {
			return Answer.of(side.storeOf(this.hold.holder()).release(side.tokens().value(this.hold)));
		}

	}

	record Keep(NamedHold hold, Duration rest) implements Call {

		@Override
		public Answer on(Side side) {
			return Answer.of(side.storeOf(this.hold.holder()).keep(side.tokens().value(this.hold), this.rest));
		}

	}

	record Downgrade(NamedHold hold, int count, @Nullable String passedTo) implements Call {

		@Override
		public Answer on(Side side) {
			return Answer.of(side.storeOf(this.hold.holder())
				.downgrade(side.tokens().value(this.hold), this.count, this.passedTo));
		}

	}

	record HandOn(NamedHold hold, Claim successor, boolean yield) implements Call {

		@Override
		public Answer on(Side side) {
			return Answer.of(side, this.successor, side.storeOf(this.hold.holder())
				.transfer(side.tokens().value(this.hold), this.successor, this.yield));
		}

	}

	record Withdraw(Claim claim, Duration refused) implements Call {

		@Override
		public Answer on(Side side) {
			side.storeOf(this.claim.owner()).withdraw(this.claim, this.refused);
			return Answer.of("done");
		}

	}

	record Look(List<String> keys) implements Call {

		@Override
		public Answer on(Side side) {
			return Answer.of(side.store("a")
				.view()
				.look(this.keys)
				.stream()
				.map((state) -> Answer.text(side.tokens(), state))
				.toList());
		}

	}

	/**
	 * A release by force.
	 *
	 * @param key the key
	 * @param only the only grant that is meant, or {@code null}
	 */
	record ForceRelease(String key, @Nullable NamedGrant only) implements Call {

		private static final Duration WITHIN = Duration.ofMinutes(1);

		@Override
		public Answer on(Side side) {
			Long token = (this.only != null) ? side.tokens().value(this.only) : null;
			return Answer.of(Answer.text(side.tokens(), side.store("a").view().forceRelease(this.key, token, WITHIN)));
		}

	}

	record FindHeld() implements Call {

		private static final Duration AT_MOST = Duration.ofMinutes(1);

		@Override
		public Answer on(Side side) {
			return Answer.of(Answer.text(side.store("a").view().heldKeys(1_000, AT_MOST)));
		}

	}

	record Pass(int hours) implements Call {

		@Override
		public Answer on(Side side) {
			side.pass(this.hours);
			return Answer.of("done");
		}

	}

	record SetClockBack(String key) implements Call {

		@Override
		public Answer on(Side side) {
			side.setClockBack(this.key);
			return Answer.of("done");
		}

	}

}
