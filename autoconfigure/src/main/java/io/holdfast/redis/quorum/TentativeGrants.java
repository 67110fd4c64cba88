package io.holdfast.redis.quorum;

import java.time.Duration;
import java.util.List;

import io.holdfast.engine.store.LockStore.Claim;
import io.holdfast.engine.store.LockStore.Grant;
import io.holdfast.engine.store.LockStore.QueuePlace;
import io.holdfast.redis.connection.LockClient;
import io.holdfast.redis.script.LockKeys;
import io.holdfast.redis.script.LockScript;
import io.holdfast.redis.script.ScriptCall;
import org.jspecify.annotations.Nullable;

/**
 * The tentative grants of one node: confirmed or withdrawn.
 */
final class TentativeGrants {

	private final LockScript<Confirmation> confirm = new LockScript<>("confirm.lua", Confirmation::of);

	private final LockScript<Boolean> withdraw = new LockScript<>("withdraw.lua", (reply) -> (Long) reply == 1);

	private final LockClient redis;

	private final LockKeys keys;

	private final Duration tokenRetention;

	TentativeGrants(LockClient redis, LockKeys keys, Duration tokenRetention) {
		this.redis = redis;
		this.keys = keys;
		this.tokenRetention = tokenRetention;
	}

	/**
	 * Make grants count, and last for the whole lease from now on.
	 * @param granted what the node has granted, or {@code null} to only raise the last
	 * tokens
	 * @param agreed the tokens that the locks get
	 */
	Confirmation confirm(Claim claim, @Nullable List<Grant> granted, List<Grant> agreed) {
		QueuePlace place = claim.place();
		ScriptCall call = ScriptCall.on(this.keys, claim.keys())
			.with(claim.holder(), claim.lease(), claim.lease().plus(this.tokenRetention))
			.with((place != null) ? place.id() : null);
		for (int i = 0; i < agreed.size(); i++) {
			call.with((granted != null) ? granted.get(i).token() : 0, agreed.get(i).token());
		}
		return this.confirm.runReserved(this.redis, call);
	}

	/**
	 * Withdraw what the node has granted, whether it counts already or not.
	 * @param granted what the node has granted; empty when that is not known
	 * @param agreed the tokens that a quorum agrees on; empty for none
	 * @return whether all of the locks were held with the tokens agreed on
	 */
	boolean takeBack(List<String> lockKeys, String holder, List<Grant> granted, List<Grant> agreed) {
		return withdraw(lockKeys, null, holder, granted, agreed);
	}

	/**
	 * Give up a place in queues.
	 */
	void leave(List<String> lockKeys, QueuePlace place) {
		withdraw(lockKeys, place.id(), null, List.of(), List.of());
	}

	/**
	 * Withdraw no claim, but what is told.
	 */
	private boolean withdraw(List<String> lockKeys, @Nullable String placeId, @Nullable String holder,
			List<Grant> granted, List<Grant> agreed) {
		ScriptCall call = ScriptCall.on(this.keys, lockKeys)
			.with(null, null, 0, placeId, holder, this.keys.channelPrefix());
		for (int i = 0; i < lockKeys.size(); i++) {
			call.with(lockKeys.get(i), token(granted, i), token(agreed, i));
		}
		return this.withdraw.runReserved(this.redis, call);
	}

	private static long token(List<Grant> grants, int index) {
		return grants.isEmpty() ? 0 : grants.get(index).token();
	}

	/**
	 * The answer of a node to a confirmation.
	 *
	 * @param held whether all of the locks are held with the tokens agreed on
	 * @param queued whether the owner has a place in a queue still
	 */
	record Confirmation(boolean held, boolean queued) {

		private static Confirmation of(Object reply) {
			List<?> values = (List<?>) reply;
			return new Confirmation((Long) values.get(0) == 1, (Long) values.get(1) == 1);
		}

	}

}
