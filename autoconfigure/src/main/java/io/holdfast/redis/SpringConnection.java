package io.holdfast.redis;

import java.time.Duration;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.ReturnType;

/**
 * A connection that the application makes in a way of its own.
 *
 * @param redis the connection
 */
record SpringConnection(RedisConnection redis) implements LockConnection {

	@Override
	public @Nullable Object evalSha(String digest, ScriptCall call, byte[] lastArgument) {
		return list(() -> this.redis.scriptingCommands()
			.evalSha(digest, ReturnType.MULTI, call.keyCount(), call.keysAndArguments(lastArgument)));
	}

	@Override
	public @Nullable Object eval(byte[] script, ScriptCall call, byte[] lastArgument) {
		return list(() -> this.redis.scriptingCommands()
			.eval(script, ReturnType.MULTI, call.keyCount(), call.keysAndArguments(lastArgument)));
	}

	/**
	 * With Jedis, Spring Data fails on a reply that is no list. None of the scripts makes
	 * such a reply.
	 */
	private static @Nullable Object list(Supplier<@Nullable Object> reply) {
		try {
			return reply.get();
		}
		catch (RuntimeException ex) {
			if (NestedExceptionUtils.getMostSpecificCause(ex) instanceof ClassCastException) {
				return null;
			}
			throw ex;
		}
	}

	/**
	 * It cannot be told whether the connection is still the same.
	 */
	@Override
	public long awaitReplicas(int replicas, Duration atMost) {
		throw new UnsupportedOperationException("Replicas can be waited for over connections of locks only");
	}

}
