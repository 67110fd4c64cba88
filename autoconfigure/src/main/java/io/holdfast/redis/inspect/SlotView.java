package io.holdfast.redis.inspect;

import java.util.ArrayList;
import java.util.List;

import io.holdfast.engine.store.LockStoreException;
import io.holdfast.engine.store.StoreView;
import io.holdfast.engine.store.StoreView.ForcedRelease;
import io.holdfast.engine.store.StoreView.Holder;
import io.holdfast.engine.store.StoreView.KeyState;
import io.holdfast.engine.store.UnfinishedReleaseException;
import io.holdfast.redis.connection.LockClient;
import io.holdfast.redis.script.LockKeys;
import io.holdfast.redis.script.LockScript;
import io.holdfast.redis.script.ScriptCall;

/**
 * Reads locks whose keys are in one slot of one Redis, and releases them by force.
 */
final class SlotView {

	/**
	 * How many holders of a shared lock are read in one step, which blocks the server
	 * meanwhile.
	 */
	private static final int STEP = 1_000;

	/**
	 * Where to continue among them: the first one, and no further.
	 */
	private static final String ALL = "0";

	private final LockScript<List<?>> look = new LockScript<>("look.lua", (reply) -> (List<?>) reply);

	private final LockScript<List<?>> forceRelease = new LockScript<>("forcerelease.lua", (reply) -> (List<?>) reply);

	private final LockClient redis;

	private final LockKeys keys;

	SlotView(LockClient redis, LockKeys keys) {
		this.redis = redis;
		this.keys = keys;
	}

	/**
	 * Return what locks are like.
	 */
	List<LockImage> look(List<String> lockKeys) {
		List<?> replies = this.look.run(this.redis,
				ScriptCall.on(this.keys, lockKeys).with(StoreView.MOST_HOLDERS, StoreView.MOST_WAITERS));
		List<LockImage> images = new ArrayList<>(replies.size());
		for (int i = 0; i < replies.size(); i++) {
			images.add(KeyStates.image(lockKeys.get(i), (List<?>) replies.get(i)));
		}
		return images;
	}

	/**
	 * Release a lock by force, where it is held with certain tokens.
	 * @param before what it was like
	 * @param endMillis the server's time after which nothing may change
	 * @throws UnfinishedReleaseException if not all was done, or that is unknown
	 */
	ForcedRelease forceRelease(KeyState before, TokenRange tokens, long endMillis) {
		List<Holder> released = new ArrayList<>();
		String place = ALL;
		do {
			ScriptCall call = ScriptCall.on(this.keys, List.of(before.key()))
				.with(this.keys.channelPrefix(), before.key(), tokens.smallest(), tokens.greatest())
				.with(endMillis, STEP, place);
			List<?> reply = step(before, released, call);
			if ((Long) reply.get(0) == 0) {
				throw tooLate(before, released);
			}
			released.addAll(KeyStates.holders(reply.get(1)));
			place = KeyStates.text(reply.get(2));
		}
		while (!place.equals(ALL));
		return new ForcedRelease(before, released);
	}

	/**
	 * A step that failed may have been done.
	 */
	private List<?> step(KeyState before, List<Holder> released, ScriptCall call) {
		try {
			return this.forceRelease.run(this.redis, call);
		}
		catch (LockStoreException ex) {
			throw UnfinishedReleaseException.uncertain(new ForcedRelease(before, released), ex);
		}
	}

	private static LockStoreException tooLate(KeyState before, List<Holder> released) {
		LockStoreException tooLate = tooLate(before.key());
		return released.isEmpty() ? tooLate
				: UnfinishedReleaseException.incomplete(new ForcedRelease(before, released), tooLate);
	}

	/**
	 * Say that nothing more has been released, since there was no time left.
	 */
	static LockStoreException tooLate(String key) {
		return new LockStoreException("Redis was reached too late to release lock '%s' by force".formatted(key), null,
				true);
	}

}
