package io.holdfast.redis.script;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.holdfast.engine.store.LockStoreException;
import io.holdfast.redis.connection.LockConnection;
import io.holdfast.redis.connection.LockClient;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.script.DefaultRedisScript;

/**
 * One of the Lua scripts, run by its digest and loaded again when Redis has forgotten it.
 *
 * @param <T> what its reply means
 */
public final class LockScript<T extends @Nullable Object> {

	private static final String FOLDER = "io/holdfast/redis/";

	private static final Pattern INCLUDE = Pattern.compile("^ *-- include ([a-z]+\\.lua)$", Pattern.MULTILINE);

	private static final String PLACE = "-- the script";

	private final String name;

	private final Form plain;

	private final Form named;

	private final Function<Object, T> reader;

	private static final List<byte[]> NO_TOKEN = List.of(new byte[0], new byte[0]);

	private volatile @Nullable LockScript<T> whileMoving;

	/**
	 * Load a script, with the files that it includes.
	 * @param name the script's file
	 * @param reader converts its reply
	 */
	public LockScript(String name, Function<Object, T> reader) {
		this(name, PLACE, reader);
	}

	private LockScript(String name, String frame, Function<Object, T> reader) {
		String text = INCLUDE.matcher(read(name))
			.replaceAll((include) -> Matcher.quoteReplacement(read(include.group(1))));
		String script = frame.replace(PLACE, text);
		this.name = name;
		this.plain = Form.of(script);
		this.named = Form.of(read("question.lua").replace(PLACE, script));
		this.reader = reader;
	}

	/**
	 * Return the same script for a lock whose slot is being moved.
	 * @return the script
	 */
	public LockScript<T> whileMoving() {
		LockScript<T> script = this.whileMoving;
		if (script == null) {
			script = new LockScript<>(this.name, read("moving.lua"), this.reader);
			this.whileMoving = script;
		}
		return script;
	}

	/**
	 * Run it for an acquisition, or for an operator.
	 * @param redis where
	 * @param call its keys and arguments
	 * @return what its reply means
	 * @throws LockStoreException when there is none
	 */
	public T run(LockClient redis, ScriptCall call) {
		return run(redis, call, false, Function.identity());
	}

	/**
	 * Run it for a lock that is held.
	 * @param redis where
	 * @param call its keys and arguments
	 * @return what its reply means
	 * @throws LockStoreException when there is none
	 */
	public T runReserved(LockClient redis, ScriptCall call) {
		return run(redis, call, true, Function.identity());
	}

	/**
	 * Run it, and read its reply further: what was garbled on the way is no answer, and
	 * the connection is not used again.
	 * @param redis where
	 * @param call its keys and arguments
	 * @param held whether it is for a lock that is held
	 * @param further converts what the reply means
	 * @param <R> what that is
	 * @return what the reply means
	 * @throws LockStoreException when there is none
	 */
	public <R> R run(LockClient redis, ScriptCall call, boolean held, Function<T, R> further) {
		return redis.ask(call.lock(), call.firstKey(), held, question(call).andThen(further));
	}

	/**
	 * Run it for a lock that is held. While its slot is being moved, everything is done
	 * where its hash is. A script with all keys would wait for the end of the move; one
	 * that creates a key beside the hash cannot run in this way.
	 * @param redis where
	 * @param call its keys and arguments
	 * @return what its reply means
	 * @throws LockStoreException when there is none
	 */
	public T runAnywhere(LockClient redis, ScriptCall call) {
		try {
			return runReserved(redis, call);
		}
		catch (LockStoreException ex) {
			if (!call.isOnOneLock() || !isMoving(ex)) {
				throw ex;
			}
			return whileMoving().runReserved(redis, call.whileMoving(NO_TOKEN));
		}
	}

	/**
	 * Return whether a node of a Cluster cannot answer for the time that a slot is being
	 * moved.
	 * @param failure what it has answered
	 * @return whether that is why
	 */
	public static boolean isMoving(LockStoreException failure) {
		return String.valueOf(NestedExceptionUtils.getMostSpecificCause(failure).getMessage()).contains("TRYAGAIN");
	}

	/**
	 * Return the request to run over a connection: send the digest, and the script itself
	 * if Redis does not know it. It is named where its reply might be taken for
	 * another's.
	 * @param call its keys and arguments
	 * @return the request, which returns the parsed reply
	 */
	public Function<LockConnection, T> question(ScriptCall call) {
		return (connection) -> {
			if (connection.isInStep()) {
				return this.reader.apply(this.plain.run(connection, call.keys(), call.arguments()));
			}
			byte[] name = LockKeys.bytes(Long.toHexString(ThreadLocalRandom.current().nextLong()));
			return read(name, this.named.run(connection, call.keys(), call.arguments(name)));
		};
	}

	/**
	 * Read a reply. It may belong to another request, left on the connection by a thread
	 * that an error hit. After this exception, a connection of locks is not used again.
	 */
	private T read(byte[] name, @Nullable Object reply) {
		if (reply instanceof List<?> parts && parts.size() == 2 && parts.get(0) instanceof byte[] question
				&& Arrays.equals(question, name)) {
			return this.reader.apply(parts.get(1));
		}
		throw new IllegalStateException("its reply belongs to another request");
	}

	private static String read(String name) {
		try {
			return new ClassPathResource(FOLDER + name).getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Lua script missing: " + name, ex);
		}
	}

	/**
	 * What is sent.
	 */
	private record Form(byte[] text, String digest) {

		static Form of(String text) {
			DefaultRedisScript<?> script = new DefaultRedisScript<>(text);
			return new Form(text.getBytes(StandardCharsets.UTF_8), script.getSha1());
		}

		@Nullable Object run(LockConnection connection, List<byte[]> keys, List<byte[]> arguments) {
			try {
				return evaluate(connection, keys, arguments);
			}
			catch (RuntimeException ex) {
				throw OldRedis.explain(ex, connection);
			}
		}

		private @Nullable Object evaluate(LockConnection connection, List<byte[]> keys, List<byte[]> arguments) {
			try {
				return connection.evalSha(this.digest, keys, arguments);
			}
			catch (RuntimeException ex) {
				if (!isUnknownScript(ex)) {
					throw ex;
				}
				return connection.eval(this.text, keys, arguments);
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

	}

}
