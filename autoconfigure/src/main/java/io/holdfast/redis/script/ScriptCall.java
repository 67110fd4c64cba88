package io.holdfast.redis.script;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The keys and arguments of one call of a script.
 */
public final class ScriptCall {

	/**
	 * How many keys a lock has in Redis.
	 */
	private static final int KEYS_OF_A_LOCK = 6;

	private final @Nullable String lock;

	private final List<byte[]> keys;

	private final List<byte[]> arguments = new ArrayList<>(16);

	private ScriptCall(@Nullable String lock, List<byte[]> keys) {
		this.lock = lock;
		this.keys = keys;
	}

	/**
	 * Begin a call on some locks.
	 * @param names the names of keys
	 * @param locks the locks
	 * @return the call
	 */
	public static ScriptCall on(LockKeys names, List<String> locks) {
		List<byte[]> keys = new ArrayList<>(locks.size() * KEYS_OF_A_LOCK);
		locks.forEach((lock) -> keys.addAll(names.of(lock).all()));
		return new ScriptCall(locks.get(0), keys);
	}

	/**
	 * Begin a call on some keys of Redis.
	 * @param lock the lock that it is about, or {@code null}
	 * @param keys the keys, in one slot
	 * @return the call
	 */
	public static ScriptCall onKeys(@Nullable String lock, List<byte[]> keys) {
		return new ScriptCall(lock, keys);
	}

	/**
	 * Add arguments: texts, numbers, durations (sent in milliseconds), and booleans (sent
	 * as 1 or 0). {@code null} is sent as an empty text.
	 * @param arguments the arguments
	 * @return this call
	 */
	public ScriptCall with(@Nullable Object... arguments) {
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

	/**
	 * Return the first lock that it is about.
	 * @return the lock's key, or {@code null} if it is about none
	 */
	public @Nullable String lock() {
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
