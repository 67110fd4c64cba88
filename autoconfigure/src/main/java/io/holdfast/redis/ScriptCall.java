package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.redis.LockKeys.Names;

/**
 * The keys and arguments of one call of a script.
 */
public final class ScriptCall {

	private final List<byte[]> keys;

	private final List<byte[]> arguments = new ArrayList<>(12);

	private ScriptCall(List<byte[]> keys) {
		this.keys = keys;
	}

	/**
	 * Begin a call on some locks.
	 * @param locks the names of their keys
	 * @return the call
	 */
	public static ScriptCall on(List<Names> locks) {
		List<byte[]> keys = new ArrayList<>(locks.size() * 6);
		locks.forEach((names) -> keys.addAll(names.all()));
		return new ScriptCall(keys);
	}

	/**
	 * Begin a call on one key of Redis.
	 * @param key the key
	 * @return the call
	 */
	public static ScriptCall onKey(byte[] key) {
		return new ScriptCall(List.of(key));
	}

	/**
	 * Add an argument.
	 * @param argument the argument
	 * @return this call
	 */
	public ScriptCall with(byte[] argument) {
		this.arguments.add(argument);
		return this;
	}

	/**
	 * Add a text.
	 * @param argument the text
	 * @return this call
	 */
	public ScriptCall with(String argument) {
		return with(LockKeys.bytes(argument));
	}

	/**
	 * Add a number.
	 * @param argument the number
	 * @return this call
	 */
	public ScriptCall with(long argument) {
		return with(Long.toString(argument));
	}

	/**
	 * Add a time in milliseconds.
	 * @param argument the time
	 * @return this call
	 */
	public ScriptCall with(Duration argument) {
		return with(argument.toMillis());
	}

	ScriptCall withNothing() {
		return with(new byte[0]);
	}

	/**
	 * Return the same call on one lock whose slot is being moved.
	 * @param token the last token and for how long it is remembered, or nothing
	 */
	ScriptCall whileMoving(List<byte[]> token) {
		ScriptCall call = onKey(firstKey());
		call.arguments.addAll(this.keys.subList(1, this.keys.size()));
		call.arguments.addAll(token);
		call.arguments.addAll(this.arguments);
		return call;
	}

	byte[] firstKey() {
		return this.keys.get(0);
	}

	List<byte[]> keys() {
		return this.keys;
	}

	/**
	 * Return the arguments.
	 * @param last one more argument
	 */
	List<byte[]> arguments(byte[] last) {
		List<byte[]> all = new ArrayList<>(this.arguments.size() + 1);
		all.addAll(this.arguments);
		all.add(last);
		return all;
	}

}
