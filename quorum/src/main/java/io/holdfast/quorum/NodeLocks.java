package io.holdfast.quorum;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.NotAnswered;
import io.holdfast.engine.LockStore.Outcome;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStore.RenewalOutcome;
import io.holdfast.redis.LockScript;
import io.holdfast.redis.RedisLockStore;
import org.jspecify.annotations.Nullable;

/**
 * Locks on one node: those of a store on one Redis, and grants that do not count yet.
 */
final class NodeLocks {

	private static final String FOLDER = "io/holdfast/quorum/";

	// Number of a claim that no attempt has: they are counted from 1
	private static final int NO_ATTEMPT = 0;

	private final LockScript<List<?>> attempt = new LockScript<>(FOLDER, "tentative.lua", (reply) -> reply);

	private final LockScript<Confirmation> confirm = new LockScript<>(FOLDER, "confirm.lua", Confirmation::of);

	private final LockScript<Long> takeBack = LockScript.replyingNumber(FOLDER, "takeback.lua");

	private final RedisLockStore store;

	private final Duration tokenRetention;

	NodeLocks(RedisLockStore store, Duration tokenRetention) {
		this.store = store;
		this.tokenRetention = tokenRetention;
	}

	// What is granted does not count before it is confirmed
	Attempt attempt(Claim claim, Duration lease, int node, int nodes) {
		return this.store.attempt(this.attempt, claim, lease, Attempt::of, node, nodes);
	}

	// Grants last for the whole lease from now on. Without any, only the last tokens are
	// raised
	Confirmation confirm(Claim claim, @Nullable List<Grant> granted, List<Grant> agreed) {
		QueuePlace place = claim.place();
		List<@Nullable Object> arguments = new ArrayList<>();
		arguments.addAll(List.of(claim.holder(), claim.lease(), remembered(claim)));
		arguments.add((place != null) ? place.id() : null);
		for (int i = 0; i < agreed.size(); i++) {
			arguments.add((granted != null) ? granted.get(i).token() : 0);
			arguments.add(agreed.get(i).token());
		}
		return this.store.run(this.confirm, claim.keys(), arguments.toArray());
	}

	// Takes a grant back, be it agreed on by the nodes or not yet
	boolean takeBack(List<String> keys, String holder, List<Grant> granted, List<Grant> agreed) {
		List<Object> arguments = new ArrayList<>(List.of(holder, this.store.channelPrefix()));
		for (int i = 0; i < keys.size(); i++) {
			arguments.addAll(List.of(keys.get(i), token(granted, i), token(agreed, i)));
		}
		return this.store.run(this.takeBack, keys, arguments.toArray()) == 1;
	}

	private static long token(List<Grant> grants, int index) {
		return grants.isEmpty() ? 0 : grants.get(index).token();
	}

	// Give up the claim's place in the queues, but nothing that it was granted
	void leave(Claim claim) {
		withdraw(claim.as(NO_ATTEMPT), Duration.ZERO);
	}

	void withdraw(Claim claim, Duration refused) {
		this.store.withdraw(claim, refused);
	}

	List<RenewalOutcome> renew(List<Renewal> renewals) {
		List<RenewalOutcome> outcomes = this.store.renew(renewals);
		if (outcomes.get(0) instanceof NotAnswered unanswered) {
			throw unanswered.failure();
		}
		return outcomes;
	}

	boolean keep(HoldId hold, Duration rest) {
		return this.store.keep(hold, rest);
	}

	boolean downgrade(HoldId hold, int holdCount, @Nullable String passedTo) {
		return this.store.downgrade(hold, holdCount, passedTo);
	}

	// Return how long the last token of a key is remembered when the lock has just been
	// granted
	private Duration remembered(Claim claim) {
		return claim.lease().plus(this.tokenRetention);
	}

	record Attempt(Outcome outcome, @Nullable String ahead) {

		private static Attempt of(Outcome outcome, List<?> reply) {
			boolean ahead = outcome instanceof Denied && reply.size() > 5;
			return new Attempt(outcome, ahead ? new String((byte[]) reply.get(5), StandardCharsets.UTF_8) : null);
		}

	}

	record Confirmation(boolean held, boolean queued) {

		private static Confirmation of(List<?> values) {
			return new Confirmation((Long) values.get(0) == 1, (Long) values.get(1) == 1);
		}

	}

}
