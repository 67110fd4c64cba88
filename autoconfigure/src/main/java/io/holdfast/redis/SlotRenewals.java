package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;

import io.holdfast.engine.LockStore.Gone;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.NotAnswered;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStore.RenewalOutcome;
import io.holdfast.engine.LockStore.Renewed;
import io.holdfast.engine.LockStoreException;
import io.holdfast.redis.connection.LockClient;
import io.holdfast.redis.connection.LockClient.Purpose;

/**
 * Renews holds, whatever their slots: all that are on one server in one call.
 */
final class SlotRenewals {

	private static final NotAnswered MOVED = new NotAnswered(
			new LockStoreException("The slot of the lock is being moved", null, true));

	private final LockScript<List<RenewalOutcome>> renew = new LockScript<>("renew.lua", SlotRenewals::renewed);

	private final LockClient redis;

	private final LockKeys keys;

	private final Duration tokenRetention;

	SlotRenewals(LockClient redis, LockKeys keys, Duration tokenRetention) {
		this.redis = redis;
		this.keys = keys;
		this.tokenRetention = tokenRetention;
	}

	List<RenewalOutcome> renew(List<Renewal> renewals) {
		List<Renewal> ofEachKey = renewals.stream()
			.flatMap((renewal) -> renewal.hold().grants().stream().map((grant) -> renewal.on(List.of(grant))))
			.toList();
		Iterator<RenewalOutcome> ofKeys = renewKeys(ofEachKey).iterator();
		List<RenewalOutcome> ofHolds = new ArrayList<>(renewals.size());
		for (Renewal renewal : renewals) {
			RenewalOutcome outcome = ofKeys.next();
			for (int i = 1; i < renewal.hold().grants().size(); i++) {
				outcome = outcome.and(ofKeys.next());
			}
			ofHolds.add(outcome);
		}
		return ofHolds;
	}

	// Each call renews the holds that are on the server of the first one that is left.
	// If that does not answer, the others are not asked: no caller waits for two servers
	private List<RenewalOutcome> renewKeys(List<Renewal> renewals) {
		RenewalOutcome[] outcomes = new RenewalOutcome[renewals.size()];
		List<Integer> left = IntStream.range(0, outcomes.length).boxed().toList();
		while (!left.isEmpty()) {
			List<Integer> asked = left;
			Iterator<RenewalOutcome> answers = answers(asked.stream().map(renewals::get).toList()).iterator();
			asked.forEach((index) -> outcomes[index] = answers.next());
			left = asked.stream().skip(1).filter((index) -> outcomes[index] == MOVED).toList();
		}
		return List.of(outcomes);
	}

	private List<RenewalOutcome> answers(List<Renewal> renewals) {
		String first = renewals.get(0).hold().grants().get(0).key();
		ScriptCall call = ScriptCall.onKeys(first, List.of(this.keys.lock(first))).with(this.tokenRetention);
		for (Renewal renewal : renewals) {
			Grant grant = renewal.hold().grants().get(0);
			call.with(this.keys.lock(grant.key()), renewal.hold().holder(), grant.token(), renewal.lease())
				.with(renewal.holdCount(), renewal.passedTo());
		}
		try {
			return this.renew.run(this.redis, call, Purpose.HOLD);
		}
		catch (LockStoreException ex) {
			return Collections.nCopies(renewals.size(), new NotAnswered(ex));
		}
	}

	private static List<RenewalOutcome> renewed(List<?> reply) {
		return reply.stream().map((millis) -> renewed((long) (Long) millis)).toList();
	}

	private static RenewalOutcome renewed(long millis) {
		if (millis < 0) {
			return MOVED;
		}
		return (millis > 0) ? new Renewed(Duration.ofMillis(millis)) : new Gone();
	}

}
