package io.holdfast.differential;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import io.holdfast.differential.NamedHold.NamedGrant;
import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.Renewal;
import org.jspecify.annotations.Nullable;

/**
 * A call of a store, or something that happens to it, which can be repeated elsewhere.
 *
 * @param text what it is
 * @param claim what is asked for, or {@code null} if nothing is
 * @param on makes the call
 */
record Call(String text, @Nullable Claim claim, Function<Side, Answer> on) {

	private static final Duration WITHIN = Duration.ofMinutes(1);

	private static Call of(Function<Side, Object> on, Object... what) {
		return new Call(List.of(what).toString(), null, (side) -> Answer.of(on.apply(side)));
	}

	static Call acquire(Claim claim) {
		return new Call("acquire " + claim, claim,
				(side) -> Answer.of(side, claim, side.storeOf(claim.owner()).acquire(claim)));
	}

	static Call renew(List<NamedHold> holds, Duration lease, @Nullable Integer count, @Nullable String passedTo) {
		return of((side) -> {
			List<Renewal> renewals = holds.stream()
				.map((hold) -> new Renewal(side.tokens().value(hold), lease, count, passedTo))
				.toList();
			return side.storeOf(holds.get(0).holder()).renew(renewals).stream().map(Answer::text).toList();
		}, "renew", holds, lease, "count " + count, "passed to " + passedTo);
	}

	static Call release(NamedHold hold) {
		return of((side) -> store(side, hold).release(id(side, hold)), "release", hold);
	}

	static Call keep(NamedHold hold, Duration rest) {
		return of((side) -> store(side, hold).keep(id(side, hold), rest), "keep", hold, rest);
	}

	static Call downgrade(NamedHold hold, int count, @Nullable String passedTo) {
		return of((side) -> store(side, hold).downgrade(id(side, hold), count, passedTo), "downgrade", hold, count,
				"passed to " + passedTo);
	}

	static Call handOn(NamedHold hold, Claim successor, boolean yield) {
		return new Call("hand on %s to %s, yield %s".formatted(hold, successor, yield), null,
				(side) -> Answer.of(side, successor, store(side, hold).transfer(id(side, hold), successor, yield)));
	}

	static Call withdraw(Claim claim, Duration refused) {
		return of((side) -> {
			side.storeOf(claim.owner()).withdraw(claim, refused);
			return "done";
		}, "withdraw", claim, refused);
	}

	static Call look(List<String> keys) {
		return of((side) -> side.store("a")
			.view()
			.look(keys)
			.stream()
			.map((state) -> Answer.text(side.tokens(), state))
			.toList(), "look", keys);
	}

	static Call forceRelease(String key, @Nullable NamedGrant only) {
		return of((side) -> {
			Long token = (only != null) ? side.tokens().value(only) : null;
			return Answer.text(side.tokens(), side.store("a").view().forceRelease(key, token, WITHIN));
		}, "force", key, "only " + only);
	}

	static Call findHeld() {
		return of((side) -> Answer.text(side.store("a").view().heldKeys(1_000, WITHIN)), "held");
	}

	static Call pass(int hours) {
		return of((side) -> {
			side.pass(hours);
			return "done";
		}, "pass", hours);
	}

	static Call setClockBack(String key) {
		return of((side) -> {
			side.setClockBack(key);
			return "done";
		}, "clock back", key);
	}

	static Call cleanUp(int hours) {
		return of((side) -> {
			side.pass(hours);
			side.cleanUp();
			return "done";
		}, "clean up after", hours);
	}

	/**
	 * The same again, as if the first answer had been lost.
	 */
	Call twice() {
		return new Call("twice " + this.text, this.claim, (side) -> {
			this.on.apply(side);
			return this.on.apply(side);
		});
	}

	private static LockStore store(Side side, NamedHold hold) {
		return side.storeOf(hold.holder());
	}

	private static HoldId id(Side side, NamedHold hold) {
		return side.tokens().value(hold);
	}

	@Override
	public String toString() {
		return this.text;
	}

}
