package io.holdfast.redis.script;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

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
 * key and have been renewed before. All others are left to another.
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

	@Override
	public List<RenewalOutcome> apply(List<Renewal> renewals) {
		Map<Integer, RenewalOutcome> outcomes = new TreeMap<>();
		List<Integer> repeated = indices(renewals.size(), (i) -> isRepeated(renewals.get(i), renewals.get(0).lease()));
		if (!repeated.isEmpty()) {
			Duration lease = renewals.get(0).lease();
			try {
				Iterator<?> replies = renew(repeated.stream().map(renewals::get).toList(), lease).iterator();
				for (Integer index : repeated) {
					if ((Long) replies.next() == 1) {
						outcomes.put(index, new Renewed(lease));
					}
				}
			}
			catch (LockStoreException ex) {
				repeated.forEach((index) -> outcomes.put(index, new NotAnswered(ex)));
			}
		}
		List<Integer> left = indices(renewals.size(), (i) -> !outcomes.containsKey(i));
		if (!left.isEmpty()) {
			try {
				Iterator<RenewalOutcome> answers = this.others.apply(left.stream().map(renewals::get).toList())
					.iterator();
				left.forEach((index) -> outcomes.put(index, answers.next()));
			}
			catch (LockStoreException ex) {
				left.forEach((index) -> outcomes.put(index, new NotAnswered(ex)));
			}
		}
		return List.copyOf(outcomes.values());
	}

	private static List<Integer> indices(int size, IntPredicate wanted) {
		return IntStream.range(0, size).filter(wanted).boxed().toList();
	}

	/**
	 * What one who shares is called has its claim behind it.
	 */
	private static boolean isRepeated(Renewal renewal, Duration lease) {
		HoldId hold = renewal.hold();
		return renewal.again() && renewal.passedTo() == null && renewal.lease().equals(lease)
				&& hold.grants().size() == 1 && hold.holder().equals(hold.owner());
	}

	/**
	 * While a slot is being moved, only the general script can be run for its locks.
	 */
	private List<?> renew(List<Renewal> renewals, Duration lease) {
		List<byte[]> locks = new ArrayList<>(renewals.size());
		renewals.forEach((renewal) -> locks.add(this.keys.lock(grant(renewal).key())));
		ScriptCall call = ScriptCall.onKeys(grant(renewals.get(0)).key(), locks).with(lease);
		renewals.forEach((renewal) -> call.with(renewal.hold().holder(), grant(renewal).token()));
		try {
			return this.script.runReserved(this.redis, call);
		}
		catch (LockStoreException ex) {
			if (!LockScript.isMoving(ex)) {
				throw ex;
			}
			return Collections.nCopies(renewals.size(), 0L);
		}
	}

	private static Grant grant(Renewal renewal) {
		return renewal.hold().grants().get(0);
	}

}
