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
 * Makes sense of what the scripts reply that tell what a lock is like.
 */
final class KeyStates {

	private static final int VALUES_OF_A_HOLDER = 4;

	private KeyStates() {
	}

	static KeyState read(String key, List<?> reply) {
		String mode = text(reply.get(0));
		List<?> values = (List<?>) reply.get(1);
		List<Holder> holders = new ArrayList<>();
		for (int i = 0; i < values.size(); i += VALUES_OF_A_HOLDER) {
			holders.add(holder(values.subList(i, i + VALUES_OF_A_HOLDER).stream().map(KeyStates::text).toList()));
		}
		return new KeyState(key, mode.isEmpty() ? null : LockMode.valueOf(mode.toUpperCase(Locale.ROOT)),
				List.copyOf(holders), ((List<?>) reply.get(2)).stream().map(KeyStates::text).toList());
	}

	private static Holder holder(List<String> values) {
		return Holder.of(values.get(0), Integer.parseInt(values.get(1)), Long.parseLong(values.get(2)),
				Duration.ofMillis(Long.parseLong(values.get(3))));
	}

	private static String text(Object value) {
		return new String((byte[]) value, StandardCharsets.UTF_8);
	}

}
