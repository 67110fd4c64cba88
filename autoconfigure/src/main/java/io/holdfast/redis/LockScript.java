package io.holdfast.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.script.DefaultRedisScript;

/**
 * One of the Lua scripts, run by its digest and loaded again when Redis has forgotten it.
 *
 * @param <T> what its reply means
 */
public final class LockScript<T extends @Nullable Object> {

	private static final Pattern INCLUDE = Pattern.compile("^ *-- include ([a-z]+\\.lua)$", Pattern.MULTILINE);

	private static final String PLACE = "-- the script";

	private final byte[] text;

	private final byte[] digest;

	private final Function<Object, T> reader;

	/**
	 * Load a script, with the files that it includes.
	 * @param name the script's file
	 * @param reader makes sense of its reply
	 */
	public LockScript(String name, Function<Object, T> reader) {
		String text = INCLUDE.matcher(read(name))
			.replaceAll((include) -> Matcher.quoteReplacement(read(include.group(1))));
		DefaultRedisScript<?> script = new DefaultRedisScript<>(read("question.lua").replace(PLACE, text));
		this.text = script.getScriptAsString().getBytes(StandardCharsets.UTF_8);
		this.digest = script.getSha1().getBytes(StandardCharsets.US_ASCII);
		this.reader = reader;
	}

	/**
	 * Run it, and send the script along if Redis does not know it.
	 * @param connection the server
	 * @param call the keys and arguments
	 * @return what its reply means
	 * @throws MisplacedReplyException when the reply is to another question
	 */
	public T run(RedisConnection connection, ScriptCall call) {
		RedisScriptingCommands commands = connection.scriptingCommands();
		try {
			return ask(call, (question) -> commands.evalSha(this.digest, ReturnType.MULTI, call.keyCount(), question));
		}
		catch (RuntimeException ex) {
			if (!isUnknownScript(ex)) {
				throw ex;
			}
			return ask(call, (question) -> commands.eval(this.text, ReturnType.MULTI, call.keyCount(), question));
		}
	}

	private T ask(ScriptCall call, Function<byte[][], @Nullable Object> connection) {
		byte[] name = LockKeys.bytes(Long.toHexString(ThreadLocalRandom.current().nextLong()));
		Object reply = reply(connection, call.keysAndArguments(name));
		if (reply instanceof List<?> parts && parts.size() == 2 && parts.get(0) instanceof byte[] question
				&& Arrays.equals(question, name)) {
			return this.reader.apply(parts.get(1));
		}
		throw new MisplacedReplyException();
	}

	/**
	 * With Jedis, Spring Data fails on a reply that is no list: it is to another question
	 * as well.
	 */
	private static @Nullable Object reply(Function<byte[][], @Nullable Object> connection, byte[][] question) {
		try {
			return connection.apply(question);
		}
		catch (RuntimeException ex) {
			boolean unexpected = NestedExceptionUtils.getMostSpecificCause(ex) instanceof ClassCastException;
			throw unexpected ? new MisplacedReplyException() : ex;
		}
	}

	private static boolean isUnknownScript(Throwable failure) {
		for (@Nullable
		Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause.getMessage() != null && cause.getMessage().contains("NOSCRIPT")) {
				return true;
			}
		}
		return false;
	}

	private static String read(String name) {
		try {
			return new ClassPathResource(name, LockScript.class).getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Lua script missing: " + name, ex);
		}
	}

}
