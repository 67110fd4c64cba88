package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.MonotonicClock;
import io.holdfast.engine.StoreView;
import io.holdfast.redis.connection.LockClient;
import io.holdfast.redis.connection.LockClient.Purpose;
import org.jspecify.annotations.Nullable;

/**
 * The operators' view of locks on one Redis, which may be a Cluster.
 *
 * @since 0.1.0
 */
public final class RedisView implements StoreView {

	private static final int BATCH_SIZE = 50;

	// How many keys a server scans in one step, which blocks it for some milliseconds
	private static final int SCAN_STEP = 10_000;

	// Of a scan, and also its end
	private static final String BEGINNING = "0";

	private final LockScript<List<?>> look = new LockScript<>("look.lua", (reply) -> reply);

	private final LockScript<List<?>> scan = new LockScript<>("scan.lua", (reply) -> reply);

	private final LockScript<List<?>> forceRelease = new LockScript<>("forcerelease.lua", (reply) -> reply);

	private final LockClient redis;

	private final LockKeys keys;

	private final Slots slots;

	private final ServerKeys servers;

	RedisView(LockClient redis, LockKeys keys) {
		this.redis = redis;
		this.keys = keys;
		this.slots = new Slots(redis, keys);
		this.servers = new ServerKeys(redis, keys);
	}

	@Override
	public List<KeyState> look(List<String> lockKeys) {
		Map<String, KeyState> states = new HashMap<>();
		if (!lockKeys.isEmpty()) {
			for (List<String> group : this.slots.bySlot(lockKeys, Function.identity())) {
				for (int i = 0; i < group.size(); i += BATCH_SIZE) {
					images(group.subList(i, Math.min(i + BATCH_SIZE, group.size())))
						.forEach((image) -> states.put(image.state().key(), image.state()));
				}
			}
		}
		return lockKeys.stream().map(states::get).filter(KeyState::isKnown).toList();
	}

	private List<LockImage> images(List<String> lockKeys) {
		List<?> replies = this.look.run(this.redis, ScriptCall.on(this.keys, lockKeys).with(MOST), Purpose.OPERATE);
		List<LockImage> images = new ArrayList<>(replies.size());
		for (int i = 0; i < replies.size(); i++) {
			images.add(LockImage.of(lockKeys.get(i), (List<?>) replies.get(i)));
		}
		return images;
	}

	@Override
	public HeldKeys heldKeys(int most, Duration atMost) {
		long end = System.nanoTime() + TimeUnit.NANOSECONDS.convert(atMost);
		Set<String> found = new LinkedHashSet<>();
		boolean complete = true;
		for (byte[] server : this.servers.all()) {
			complete &= scan(server, most, end, found);
		}
		return new HeldKeys(found, complete);
	}

	// Each server is asked at least once
	private boolean scan(byte[] server, int most, long end, Set<String> found) {
		String cursor = BEGINNING;
		do {
			List<?> page = this.scan.run(this.redis, ScriptCall.onServerOf(server).with(cursor, pattern(), SCAN_STEP),
					Purpose.OPERATE);
			((List<?>) page.get(1)).stream()
				.map((name) -> this.keys.keyOf((byte[]) name))
				.filter(Objects::nonNull)
				.forEach(found::add);
			cursor = LockImage.text(page.get(0));
		}
		while (!cursor.equals(BEGINNING) && found.size() < most && System.nanoTime() - end < 0);
		return cursor.equals(BEGINNING);
	}

	// All locks match it, and little else
	private String pattern() {
		return this.keys.prefix().replaceAll("[\\\\*?\\[\\]^]", "\\\\$0") + "*{*";
	}

	@Override
	public ForcedRelease forceRelease(String key, @Nullable Long token, Duration within) {
		long end = System.nanoTime() + MonotonicClock.toNanos(within);
		LockImage seen = image(key);
		return forceRelease(seen, token, seen.lastToken(), end);
	}

	/**
	 * Return the state of a lock.
	 * @param key the name of the lock
	 * @return the lock as it is on the server
	 */
	public LockImage image(String key) {
		return images(List.of(key)).get(0);
	}

	/**
	 * Release a lock by force.
	 * @param key the name of the lock
	 * @param token the token of the only hold to release, or {@code null} for all
	 * @param last the greatest token of those
	 * @param end the {@link System#nanoTime()} after which nothing may change
	 * @return the holders that lost it
	 */
	public ForcedRelease forceRelease(String key, @Nullable Long token, long last, long end) {
		return forceRelease(image(key), token, last, end);
	}

	// By the server's clock, which was read before now, the end is no earlier than this
	private ForcedRelease forceRelease(LockImage seen, @Nullable Long token, long last, long end) {
		KeyState state = seen.state();
		if (state.problem() != null) {
			throw new LockStoreException("Redis failed on lock '%s': %s".formatted(state.key(), state.problem()), null,
					false);
		}
		if (state.holders().isEmpty()) {
			return new ForcedRelease(state, List.of());
		}
		long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
		ScriptCall call = ScriptCall.on(this.keys, List.of(state.key()))
			.with(this.keys.channelPrefix(), state.key(), (token != null) ? token : 0, (token != null) ? token : last)
			.with(seen.serverMillis() + left);
		List<?> reply = this.forceRelease.run(this.redis, call, Purpose.OPERATE);
		if ((Long) reply.get(0) == 0) {
			throw new LockStoreException(
					"Redis was reached too late to release lock '%s' by force".formatted(state.key()), null, true);
		}
		return new ForcedRelease(state, LockImage.holders(reply.get(1)));
	}

}
