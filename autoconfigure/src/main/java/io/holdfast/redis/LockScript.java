package io.holdfast.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.holdfast.engine.LockStoreException;
import io.holdfast.redis.connection.LockClient;
import io.holdfast.redis.connection.LockClient.Purpose;
import io.holdfast.redis.connection.LockConnection;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.util.function.SingletonSupplier;

/**
 * One of the Lua scripts, run by its digest and loaded again when Redis has forgotten it.
 *
 * @param <T> what its reply means
 */
public final class LockScript<T extends @Nullable Object> {

	private static final String FOLDER = "io/holdfast/redis/";

	private static final String INCLUDE = "-- include ";

	// A list: Lettuce makes a number look like a list of it
	private static final String FRAME = "local function reply()\n%s\nend\nreturn {reply()}";

	private final SingletonSupplier<Source> source;

	private final Function<Object, T> reader;

	/**
	 * Create a script, to be loaded with the files that it includes when it first runs.
	 */
	public LockScript(String name, Function<Object, T> reader) {
		this(FOLDER, name, reader);
	}

	/**
	 * Create a script from another folder. It may include files of this one.
	 * @param folder the folder, with a slash at the end
	 * @param name the script's file
	 * @param reader converts its reply
	 */
	public LockScript(String folder, String name, Function<Object, T> reader) {
		this.source = SingletonSupplier.of(() -> Source.of(folder + name));
		this.reader = reader;
	}

	public T run(LockClient redis, ScriptCall call) {
		return run(redis, call, Purpose.OPERATE);
	}

	public T run(LockClient redis, ScriptCall call, Purpose purpose) {
		return redis.ask(call.lock(), call.firstKey(), purpose, question(call));
	}

	/**
	 * Run it, and read its reply further while the connection is in use: an error in
	 * reading closes the connection.
	 */
	public <R> R run(LockClient redis, ScriptCall call, Purpose purpose, Function<T, R> further) {
		return redis.ask(call.lock(), call.firstKey(), purpose, question(call, this.reader.andThen(further)));
	}

	/**
	 * Return whether a node of a Cluster cannot answer while a slot is being moved.
	 */
	public static boolean isMoving(LockStoreException failure) {
		return String.valueOf(NestedExceptionUtils.getMostSpecificCause(failure).getMessage()).contains("TRYAGAIN");
	}

	public Function<LockConnection, T> question(ScriptCall call) {
		return question(call, this.reader);
	}

	private <R extends @Nullable Object> Function<LockConnection, R> question(ScriptCall call,
			Function<Object, R> reader) {
		return (connection) -> {
			List<?> framed = (List<?>) Objects.requireNonNull(send(connection, call));
			return reader.apply(framed.get(0));
		};
	}

	private @Nullable Object send(LockConnection connection, ScriptCall call) {
		try {
			return evaluate(connection, call);
		}
		catch (RuntimeException ex) {
			throw OldRedis.explain(ex, connection);
		}
	}

	private @Nullable Object evaluate(LockConnection connection, ScriptCall call) {
		Source source = this.source.obtain();
		try {
			return connection.evalSha(source.digest(), call.keys(), call.arguments());
		}
		catch (RuntimeException ex) {
			if (!isUnknownScript(ex)) {
				throw ex;
			}
			return connection.eval(source.text(), call.keys(), call.arguments());
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

	private record Source(byte[] text, String digest) {

		static Source of(String path) {
			String script = FRAME.formatted(read(path).lines()
				.map((line) -> line.startsWith(INCLUDE) ? read(FOLDER + line.substring(INCLUDE.length())) : line)
				.collect(Collectors.joining("\n")));
			return new Source(script.getBytes(StandardCharsets.UTF_8), new DefaultRedisScript<>(script).getSha1());
		}

		private static String read(String path) {
			try {
				return new ClassPathResource(path).getContentAsString(StandardCharsets.UTF_8);
			}
			catch (IOException ex) {
				throw new UncheckedIOException("Lua script missing: " + path, ex);
			}
		}

	}

}
