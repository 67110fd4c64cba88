package io.holdfast.differential;

import java.time.Duration;
import java.util.List;

import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.Outcome;
import io.holdfast.engine.LockStore.RenewalOutcome;
import io.holdfast.engine.LockStore.Renewed;
import io.holdfast.engine.LockStore.Transfer;
import io.holdfast.engine.StoreView.ForcedRelease;
import io.holdfast.engine.StoreView.HeldKeys;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.engine.StoreView.KeyState;
import io.holdfast.engine.StoreView;
import org.jspecify.annotations.Nullable;

/**
 * What a store has answered, so that it can be compared: tokens have names, and times are
 * as precise as the test makes them.
 *
 * @param text the answer, without what may differ
 * @param holder who is said to be in the way, or {@code null} if that is nobody, or not
 * known
 */
record Answer(String text, @Nullable String holder) {

	/**
	 * How long a sequence of calls may take.
	 */
	private static final Duration SLACK = Duration.ofMinutes(20);

	static Answer of(Side side, Claim claim, Outcome outcome) {
		if (outcome instanceof Granted granted) {
			boolean passable = granted.lastToken() > granted.grants().get(0).token();
			return Answer.of(text(side, claim, granted) + (passable ? ", passable" : ""));
		}
		return (outcome instanceof Denied denied) ? new Answer("denied for %s, at position %d, %d taken"
			.formatted(text(denied.remaining()), denied.position(), denied.permitsTaken()), denied.holder())
				: Answer.of(outcome);
	}

	static Answer of(Side side, Claim successor, Transfer transfer) {
		return (transfer instanceof Granted granted) ? Answer.of(text(side, successor, granted)) : Answer.of(transfer);
	}

	private static String text(Side side, Claim claim, Granted granted) {
		return side.tokens().granted(claim, granted.hold()) + (granted.othersWait() ? ", others wait" : "");
	}

	static String text(RenewalOutcome outcome) {
		return (outcome instanceof Renewed renewed) ? text(renewed.lasts()) : outcome.toString();
	}

	static String text(Tokens tokens, ForcedRelease release) {
		return "of " + text(tokens, release.before()) + " releases "
				+ holders(tokens, release.before().key(), release.released());
	}

	static String text(Tokens tokens, KeyState state) {
		boolean all = state.holderCount() <= StoreView.MOST;
		return "%s %s, held by %s, %d in all, queue %s, %d in all%s".formatted(state.key(), state.mode(),
				all ? holders(tokens, state.key(), state.holders()) : state.holders().size(), state.holderCount(),
				state.waiters(), state.waiterCount(), (state.problem() != null) ? state.problem() : "");
	}

	private static List<String> holders(Tokens tokens, String key, List<Holder> holders) {
		return holders.stream()
			.map((holder) -> "%s@%s%s, %d times, for %s".formatted(holder.owner(), tokens.name(key, holder.token()),
					holder.kept() ? " kept" : "", holder.holdCount(), text(holder.remaining())))
			.sorted()
			.toList();
	}

	static String text(HeldKeys held) {
		return held.keys().stream().sorted().toList() + (held.complete() ? "" : " and more");
	}

	static String text(Duration remaining) {
		return remaining.isNegative() ? "ever" : remaining.plus(SLACK).toHours() + " h";
	}

	static Answer of(Object text) {
		return new Answer(text.toString(), null);
	}

	@Override
	public String toString() {
		return this.text + ((this.holder != null) ? " by " + this.holder : "");
	}

}
