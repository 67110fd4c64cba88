package io.holdfast.redis;

import java.util.ArrayList;
import java.util.List;

import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.StoreView;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.redis.LockKeys.Names;

import org.springframework.data.redis.connection.ReturnType;

/**
 * Looks at locks whose keys are in one slot of one Redis, and releases them by force.
 */
final class SlotView {

	/**
	 * How many of those who share a lock are gone through in one step, which keeps the
	 * server from doing anything else meanwhile.
	 */
	private static final int STEP = 1_000;

	private final LockScript<List<?>> look = new LockScript<>("look.lua", ReturnType.MULTI, (reply) -> (List<?>) reply);

	private final LockScript<List<?>> forceRelease = new LockScript<>("forcerelease.lua", ReturnType.MULTI,
			(reply) -> (List<?>) reply);

	private final RedisClient redis;

	private final LockKeys keys;

	SlotView(RedisClient redis, LockKeys keys) {
		this.redis = redis;
		this.keys = keys;
	}

	/**
	 * Return what locks are like.
	 */
	List<LockImage> look(List<String> lockKeys) {
		ScriptCall call = ScriptCall.on(lockKeys.stream().map(this.keys::of).toList())
			.with(StoreView.MOST_HOLDERS)
			.with(StoreView.MOST_WAITERS);
		List<?> replies = run(lockKeys.get(0), this.look, call);
		List<LockImage> images = new ArrayList<>(replies.size());
		for (int i = 0; i < replies.size(); i++) {
			images.add(KeyStates.image(lockKeys.get(i), (List<?>) replies.get(i)));
		}
		return images;
	}

	/**
	 * Take a lock away from those who hold it with certain tokens.
	 * @param endMillis the server's time from which on nothing is to be changed
	 * @return from whom it was taken
	 */
	List<Holder> forceRelease(String key, TokenRange tokens, long endMillis) {
		List<Holder> released = new ArrayList<>();
		long leftOut = 0;
		while (leftOut >= 0) {
			List<?> reply = run(key, this.forceRelease, release(this.keys.of(key), tokens, endMillis).with(leftOut));
			if ((Long) reply.get(0) == 0) {
				return ended(key, released);
			}
			released.addAll(KeyStates.holders(reply.get(1)));
			leftOut = (Long) reply.get(2);
		}
		return released;
	}

	private ScriptCall release(Names lock, TokenRange tokens, long endMillis) {
		return ScriptCall.on(List.of(lock))
			.with(this.keys.channelPrefix())
			.with(lock.name())
			.with(tokens.smallest())
			.with(tokens.greatest())
			.with(endMillis)
			.with(STEP);
	}

	private static List<Holder> ended(String key, List<Holder> released) {
		if (released.isEmpty()) {
			throw tooLate(key);
		}
		return released;
	}

	/**
	 * Say that nothing has been released, since there was no time left.
	 */
	static LockStoreException tooLate(String key) {
		return new LockStoreException("Redis was reached too late to release lock '%s' by force".formatted(key), null,
				true);
	}

	private List<?> run(String key, LockScript<List<?>> script, ScriptCall call) {
		return this.redis.askInTurn(key, (connection) -> script.run(connection, call));
	}

}
