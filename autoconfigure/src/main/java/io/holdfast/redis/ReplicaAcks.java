package io.holdfast.redis;

import java.time.Duration;

import io.holdfast.redis.connection.LockConnection;

import org.springframework.util.Assert;

/**
 * How many replicas must have a grant before it counts.
 *
 * @param replicas how many; zero to not ask
 * @param timeout how long to wait for them, at least a millisecond
 * @since 0.1.0
 */
public record ReplicaAcks(int replicas, Duration timeout) {

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
	long await(LockConnection connection) {
		Duration least = Duration.ofMillis(1);
		return connection.awaitReplicas(this.replicas, (this.timeout.compareTo(least) > 0) ? this.timeout : least);
	}

	boolean isWanted() {
		return this.replicas > 0;
	}

}
