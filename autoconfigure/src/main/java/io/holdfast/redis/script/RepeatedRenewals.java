package io.holdfast.redis.script;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

import io.holdfast.engine.store.LockStore.Gone;
import io.holdfast.engine.store.LockStore.Grant;
import io.holdfast.engine.store.LockStore.HoldId;
import io.holdfast.engine.store.LockStore.NotAnswered;
import io.holdfast.engine.store.LockStore.Renewal;
import io.holdfast.engine.store.LockStore.RenewalOutcome;
import io.holdfast.engine.store.LockStore.Renewed;
import io.holdfast.engine.store.LockStoreException;
import io.holdfast.redis.connection.LockClient;

/**
 * Renews holds whose keys are in one slot, at less cost where they are exclusive, of one
 * key and have been renewed before. All others are passed on.
 */
public final class RepeatedRenewals implements Function<List<Renewal>, List<RenewalOutcome>> {

	private final LockScript<List<?>> script = new LockScript<>("renewagain.lua", (reply) -> (List<?>) reply);

	private final LockClient redis;

	private final LockKeys keys;

	private final Function<List<Renewal>, List<RenewalOutcome>> others;

	/**
	 * Renew holds.
	 * @param redis the server, or the Cluster
	 * @param keys the names of keys
	 * @param others renews all others
	 */
	public RepeatedRenewals(LockClient redis, LockKeys keys, Function<List<Renewal>, List<RenewalOutcome>> others) {
		this.redis = redis;
		this.keys = keys;
		this.others = others;
	}

	/**
	 * Renew holds.
	 * @param renewals the holds, and how long each is to last
	 * @return what became of each, also without an answer
	 */
	@Override
	public List<RenewalOutcome> apply(List<Renewal> renewals) {
		Duration lease = renewals.get(0).lease();
		List<RenewalOutcome> outcomes = new ArrayList<>(Collections.nCopies(renewals.size(), new Gone()));
		ask(this::again, renewals, outcomes, (i) -> isRepeated(renewals.get(i), lease));
		ask(this.others, renewals, outcomes, (i) -> outcomes.get(i) instanceof Gone);
		return List.copyOf(outcomes);
	}

	/**
	 * Ask for some of the renewals, and answer for all of these.
	 */
	private static void ask(Function<List<Renewal>, List<RenewalOutcome>> how, List<Renewal> renewals,
			List<RenewalOutcome> outcomes, IntPredicate wanted) {
		List<Integer> asked = IntStream.range(0, renewals.size()).filter(wanted).boxed().toList();
		if (asked.isEmpty()) {
			return;
		}
		try {
			Iterator<RenewalOutcome> answers = how.apply(asked.stream().map(renewals::get).toList()).iterator();
			asked.forEach((index) -> outcomes.set(index, answers.next()));
		}
		catch (LockStoreException ex) {
			asked.forEach((index) -> outcomes.set(index, new NotAnswered(ex)));
		}
	}

	/**
	 * What one who shares is called has its claim behind it.
	 */
	private static boolean isRepeated(Renewal renewal, Duration lease) {
		HoldId hold = renewal.hold();
		return renewal.again() && renewal.holdCount() == null && renewal.passedTo() == null
				&& renewal.lease().equals(lease) && hold.grants().size() == 1 && hold.holder().equals(hold.owner());
	}

	/**
	 * Renew holds for the same lease. Those that the script does not find as they were
	 * are gone, as far as it knows. While a slot is being moved, only the general script
	 * can be run for its locks.
	 */
	private List<RenewalOutcome> again(List<Renewal> renewals) {
		Duration lease = renewals.get(0).lease();
		List<byte[]> locks = new ArrayList<>(renewals.size());
		renewals.forEach((renewal) -> locks.add(this.keys.lock(grant(renewal).key())));
		ScriptCall call = ScriptCall.onKeys(grant(renewals.get(0)).key(), locks).with(lease);
		renewals.forEach((renewal) -> call.with(grant(renewal).token()));
		try {
			return this.script.run(this.redis, call, true, (positions) -> {
				List<RenewalOutcome> outcomes = new ArrayList<>(
						Collections.nCopies(renewals.size(), new Renewed(lease)));
				positions.forEach((position) -> outcomes.set(((Long) position).intValue() - 1, new Gone()));
				return outcomes;
			});
		}
		catch (LockStoreException ex) {
			if (!LockScript.isMoving(ex)) {
				throw ex;
			}
			return Collections.nCopies(renewals.size(), new Gone());
		}
	}

	private static Grant grant(Renewal renewal) {
		return renewal.hold().grants().get(0);
	}

}
