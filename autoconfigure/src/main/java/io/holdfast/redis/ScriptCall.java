package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.LogText;
import org.jspecify.annotations.Nullable;

final class ScriptCall {

	private static final int KEYS_OF_A_LOCK = 6;

	private final @Nullable String lock;

	private final List<byte[]> keys;

	private final List<byte[]> arguments = new ArrayList<>(16);

	private ScriptCall(@Nullable String lock, List<byte[]> keys) {
		this.lock = lock;
		this.keys = keys;
	}

	static ScriptCall on(LockKeys names, List<String> locks) {
		List<byte[]> keys = new ArrayList<>(locks.size() * KEYS_OF_A_LOCK);
		locks.forEach((lock) -> keys.addAll(names.of(lock).all()));
		return new ScriptCall(LogText.keys(locks), keys);
	}

	static ScriptCall onKeys(String lock, List<byte[]> keys) {
		return new ScriptCall(lock, keys);
	}

	static ScriptCall onServerOf(byte[] key) {
		return new ScriptCall(null, List.of(key));
	}

	// Durations are sent in milliseconds, booleans as 1 or 0, null as an empty text
	ScriptCall with(@Nullable Object... arguments) {
		for (Object argument : arguments) {
			this.arguments.add(encoded(argument));
		}
		return this;
	}

	private static byte[] encoded(@Nullable Object argument) {
		if (argument instanceof byte[] bytes) {
			return bytes;
		}
		if (argument instanceof Duration time) {
			return LockKeys.bytes(Long.toString(time.toMillis()));
		}
		if (argument instanceof Boolean yes) {
			return LockKeys.bytes(yes ? "1" : "0");
		}
		return LockKeys.bytes((argument != null) ? argument.toString() : "");
	}

	@Nullable String lock() {
		return this.lock;
	}

	byte[] firstKey() {
		return this.keys.get(0);
	}

	List<byte[]> keys() {
		return this.keys;
	}

	List<byte[]> arguments() {
		return this.arguments;
	}

}
