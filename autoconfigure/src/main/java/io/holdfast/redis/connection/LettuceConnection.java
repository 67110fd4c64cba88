package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * A connection by its commands.
 *
 * @param redis the commands
 * @param timeout how long to wait for a reply, in milliseconds
 */
record LettuceConnection(RedisClusterAsyncCommands<byte[], byte[]> redis, long timeout) implements LockConnection {

	@Override
	public boolean isInStep() {
		return false;
	}

	@Override
	public @Nullable Object evalSha(String digest, List<byte[]> keys, List<byte[]> arguments) {
		return await(this.redis.evalsha(digest, ScriptOutputType.MULTI, keys.toArray(byte[][]::new),
				arguments.toArray(byte[][]::new)));
	}

	@Override
	public @Nullable Object eval(byte[] script, List<byte[]> keys, List<byte[]> arguments) {
		return await(this.redis.eval(script, ScriptOutputType.MULTI, keys.toArray(byte[][]::new),
				arguments.toArray(byte[][]::new)));
	}

	@Override
	public long awaitReplicas(int replicas, Duration atMost) {
		return await(this.redis.waitForReplication(replicas, atMost.toMillis()));
	}

	private <T> T await(RedisFuture<T> reply) {
		return LettuceFutures.awaitOrCancel(reply, this.timeout, TimeUnit.MILLISECONDS);
	}

}
