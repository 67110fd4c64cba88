package io.holdfast.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

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
final class LockScript<T extends @Nullable Object> {

	private static final Pattern INCLUDE = Pattern.compile("^ *-- include ([a-z]+\\.lua)$", Pattern.MULTILINE);

	private final byte[] text;

	private final byte[] digest;

	private final ReturnType returnType;

	private final Function<Object, T> reader;

	/**
	 * Load a script, with the files that it includes.
	 * @param name the script's file
	 * @param reader makes sense of its reply
	 */
	LockScript(String name, ReturnType returnType, Function<Object, T> reader) {
		String text = INCLUDE.matcher(read(name))
			.replaceAll((include) -> Matcher.quoteReplacement(read(include.group(1))));
		DefaultRedisScript<?> script = new DefaultRedisScript<>(text);
		this.text = text.getBytes(StandardCharsets.UTF_8);
		this.digest = script.getSha1().getBytes(StandardCharsets.US_ASCII);
		this.returnType = returnType;
		this.reader = reader;
	}

	/**
	 * Run it, and send the script along if Redis does not know it.
	 */
	T run(RedisConnection connection, ScriptCall call) {
		byte[][] keysAndArguments = call.keysAndArguments();
		RedisScriptingCommands commands = connection.scriptingCommands();
		Object reply;
		try {
			reply = commands.evalSha(this.digest, this.returnType, call.keyCount(), keysAndArguments);
		}
		catch (RuntimeException ex) {
			if (!isUnknownScript(ex)) {
				throw ex;
			}
			reply = commands.eval(this.text, this.returnType, call.keyCount(), keysAndArguments);
		}
		return this.reader.apply(reply);
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
