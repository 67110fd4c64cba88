package io.holdfast.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.holdfast.LockMode;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.engine.StoreView.KeyState;

/**
 * A lock as seen on one server, at a time of that server's clock.
 *
 * @param state the state of its key
 * @param lastToken the greatest token of the holders, or zero when there are none; of a
 * lock that very many share, the token that was granted last
 * @param serverMillis the server's time, in milliseconds
 * @since 0.1.0
 */
public record LockImage(KeyState state, long lastToken, long serverMillis) {

	private static final int VALUES_OF_A_HOLDER = 4;

	static LockImage of(String key, List<?> reply) {
		if (reply.size() == 1) {
			return new LockImage(KeyState.empty(key, text(reply.get(0))), 0, 0);
		}
		String mode = text(reply.get(0));
		List<String> waiters = ((List<?>) reply.get(3)).stream().map(LockImage::text).toList();
		KeyState state = new KeyState(key, mode.isEmpty() ? null : LockMode.valueOf(mode.toUpperCase(Locale.ROOT)),
				count(reply.get(7)), holders(reply.get(1)), count(reply.get(2)), waiters, count(reply.get(4)), null);
		return new LockImage(state, lastToken(state, Long.parseLong(text(reply.get(5)))),
				Long.parseLong(text(reply.get(6))));
	}

	// The last token may be that of a grant that does not count yet. If all holders are
	// listed, they decide
	private static long lastToken(KeyState state, long granted) {
		return (state.holderCount() > state.holders().size()) ? granted
				: state.holders().stream().mapToLong(Holder::token).max().orElse(0);
	}

	private static int count(Object value) {
		return Math.toIntExact((Long) value);
	}

	static List<Holder> holders(Object reply) {
		List<String> values = ((List<?>) reply).stream().map(LockImage::text).toList();
		List<Holder> holders = new ArrayList<>();
		for (int i = 0; i < values.size(); i += VALUES_OF_A_HOLDER) {
			holders.add(Holder.of(values.get(i), Integer.parseInt(values.get(i + 1)), Long.parseLong(values.get(i + 2)),
					Duration.ofMillis(Long.parseLong(values.get(i + 3)))));
		}
		return List.copyOf(holders);
	}

	static String text(Object value) {
		return new String((byte[]) value, StandardCharsets.UTF_8);
	}

}
