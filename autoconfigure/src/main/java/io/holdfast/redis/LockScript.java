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
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.util.function.SingletonSupplier;

/**
 * One of the Lua scripts, run by its digest and loaded again when Redis has forgotten it.
 *
 * @param <T> what its reply means
 * @since 0.1.0
 */
public final class LockScript<T extends @Nullable Object> {

	private static final String FOLDER = "io/holdfast/redis/";

	private static final String INCLUDE = "-- include ";

	private final SingletonSupplier<Source> source;

	private final ReturnType replies;

	private final Function<Object, T> reader;

	// Create a script that replies a list, to be loaded with the files that it includes
	// when it first runs
	LockScript(String name, Function<List<?>, T> reader) {
		this(FOLDER, name, reader);
	}

	/**
	 * Create a script that replies a list, from another folder. It may include files of
	 * this one.
	 * @param folder the folder, with a slash at the end
	 * @param name the script's file
	 * @param reader converts its reply
	 */
	public LockScript(String folder, String name, Function<List<?>, T> reader) {
		this(folder + name, ReturnType.MULTI, (reply) -> reader.apply((List<?>) reply));
	}

	private LockScript(String path, ReturnType replies, Function<Object, T> reader) {
		this.source = SingletonSupplier.of(() -> Source.of(path));
		this.replies = replies;
		this.reader = reader;
	}

	static LockScript<Long> replyingNumber(String name) {
		return replyingNumber(FOLDER, name);
	}

	/**
	 * Create a script that replies a number, from another folder.
	 * @param folder the folder, with a slash at the end
	 * @param name the script's file
	 * @return the script
	 */
	public static LockScript<Long> replyingNumber(String folder, String name) {
		return new LockScript<>(folder + name, ReturnType.INTEGER, Long.class::cast);
	}

	T run(LockClient redis, ScriptCall call, Purpose purpose) {
		return redis.ask(call.lock(), call.firstKey(), purpose, question(call));
	}

	// Run it over a connection, which an error in reading the reply closes
	Function<LockConnection, T> question(ScriptCall call) {
		return (connection) -> {
			Source source = this.source.obtain();
			try {
				return read(connection.evalSha(source.digest(), this.replies, call.keys(), call.arguments()));
			}
			catch (RuntimeException ex) {
				if (isUnknownScript(ex)) {
					return load(source, connection, call);
				}
				throw OldRedis.explain(ex, connection);
			}
		};
	}

	private T load(Source source, LockConnection connection, ScriptCall call) {
		try {
			return read(connection.eval(source.text(), this.replies, call.keys(), call.arguments()));
		}
		catch (RuntimeException ex) {
			throw OldRedis.explain(ex, connection);
		}
	}

	private T read(@Nullable Object reply) {
		return this.reader.apply(Objects.requireNonNull(reply));
	}

	// A node of a Cluster cannot answer while a slot is being moved
	static boolean isMoving(LockStoreException failure) {
		return String.valueOf(NestedExceptionUtils.getMostSpecificCause(failure).getMessage()).contains("TRYAGAIN");
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
			String script = read(path).lines()
				.map((line) -> line.startsWith(INCLUDE) ? read(FOLDER + line.substring(INCLUDE.length())) : line)
				.collect(Collectors.joining("\n"));
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
