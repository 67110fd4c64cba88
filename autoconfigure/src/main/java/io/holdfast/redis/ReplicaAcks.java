package io.holdfast.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;

/**
 * How many replicas must have a grant before it counts.
 *
 * @param replicas how many; zero to not ask
 * @param timeout how long to wait for them, at least a millisecond
 * @since 0.1.0
 */
public record ReplicaAcks(int replicas, Duration timeout) {

	private static final boolean LETTUCE = ClassUtils.isPresent("io.lettuce.core.RedisClient",
			ReplicaAcks.class.getClassLoader());

	/**
	 * A grant counts at once.
	 */
	public static final ReplicaAcks NONE = new ReplicaAcks(0, Duration.ofMillis(1));

	/**
	 * Check both.
	 */
	public ReplicaAcks {
		Assert.isTrue(replicas >= 0, "'replicas' must not be negative");
		Assert.notNull(timeout, "'timeout' must not be null");
	}

	/**
	 * Wait until replicas have all that was written over a connection.
	 * @return how many have
	 */
	int await(RedisConnection connection) {
		byte[] atMost = number(Math.max(1, this.timeout.toMillis()));
		Object reply = (LETTUCE && Lettuce.isUsedBy(connection))
				? Lettuce.await(connection, number(this.replicas), atMost)
				: connection.execute("WAIT", number(this.replicas), atMost);
		return (reply instanceof Number acknowledged) ? acknowledged.intValue() : 0;
	}

	boolean isWanted() {
		return this.replicas > 0;
	}

	private static byte[] number(long number) {
		return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
	}

	/**
	 * Lettuce wants to be told that the reply is a number.
	 */
	private static final class Lettuce {

		private static boolean isUsedBy(RedisConnection connection) {
			return connection instanceof LettuceConnection;
		}

		private static @Nullable Object await(RedisConnection connection, byte[]... arguments) {
			return ((LettuceConnection) connection).execute("WAIT", new IntegerOutput<>(ByteArrayCodec.INSTANCE),
					arguments);
		}

	}

}
