package io.holdfast.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.script.DefaultRedisScript;

/**
 * One of the Lua scripts, run by its digest and loaded again when Redis has forgotten it.
 */
final class LockScript {

	private static final Pattern INCLUDE = Pattern.compile("^ *-- include ([a-z]+\\.lua)$", Pattern.MULTILINE);

	private final byte[] text;

	private final byte[] digest;

	private final ReturnType returnType;

	private LockScript(DefaultRedisScript<?> script, ReturnType returnType) {
		this.text = script.getScriptAsString().getBytes(StandardCharsets.UTF_8);
		this.digest = script.getSha1().getBytes(StandardCharsets.US_ASCII);
		this.returnType = returnType;
	}

	/**
	 * Load a script, with the files that it includes.
	 */
	static LockScript load(String name, ReturnType returnType) {
		Matcher include = INCLUDE.matcher(read(name));
		String text = include.replaceAll((match) -> Matcher.quoteReplacement(read(match.group(1))));
		return new LockScript(new DefaultRedisScript<>(text), returnType);
	}

	@SuppressWarnings("unchecked")
	<T> T run(RedisConnection connection, int keys, byte[]... keysAndArguments) {
		try {
			return (T) connection.scriptingCommands().evalSha(this.digest, this.returnType, keys, keysAndArguments);
		}
		catch (RuntimeException ex) {
			if (!isUnknownScript(ex)) {
				throw ex;
			}
			return (T) connection.scriptingCommands().eval(this.text, this.returnType, keys, keysAndArguments);
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
