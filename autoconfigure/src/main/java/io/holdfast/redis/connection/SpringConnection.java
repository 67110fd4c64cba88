package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.ReturnType;

/**
 * A connection of the application that cannot be copied.
 */
record SpringConnection(RedisConnection redis) implements LockConnection {

	@Override
	public @Nullable Object evalSha(String digest, ReturnType replies, List<byte[]> keys, List<byte[]> arguments) {
		return this.redis.scriptingCommands().evalSha(digest, replies, keys.size(), all(keys, arguments));
	}

	@Override
	public @Nullable Object eval(byte[] script, ReturnType replies, List<byte[]> keys, List<byte[]> arguments) {
		return this.redis.scriptingCommands().eval(script, replies, keys.size(), all(keys, arguments));
	}

	private static byte[][] all(List<byte[]> keys, List<byte[]> arguments) {
		return Stream.concat(keys.stream(), arguments.stream()).toArray(byte[][]::new);
	}

	/**
	 * Nothing shows whether the connection is still the same.
	 */
	@Override
	public long awaitReplicas(int replicas, Duration atMost) {
		throw new UnsupportedOperationException("Only connections of locks can wait for replicas");
	}

}
