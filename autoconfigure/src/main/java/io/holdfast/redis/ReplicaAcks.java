package io.holdfast.redis;

import java.time.Duration;

import io.holdfast.engine.LockStoreException;
import io.holdfast.redis.connection.LockConnection;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * How many replicas must have a grant before it counts.
 *
 * @param replicas how many; zero to not wait for replicas
 * @param timeout how long to wait for them, at least a millisecond
 * @since 0.1.0
 */
public record ReplicaAcks(int replicas, Duration timeout) {

	/**
	 * A grant counts at once.
	 */
	public static final ReplicaAcks NONE = new ReplicaAcks(0, Duration.ofMillis(1));

	public ReplicaAcks {
		Assert.isTrue(replicas >= 0, "'replicas' must not be negative");
		Assert.notNull(timeout, "'timeout' must not be null");
	}

	boolean isWanted() {
		return this.replicas > 0;
	}

	// Wait until replicas have what a connection wrote. Returns why it does not count, if
	// too few have it
	@Nullable LockStoreException await(LockConnection connection, String written) {
		Duration least = Duration.ofMillis(1);
		long confirmed = connection.awaitReplicas(this.replicas,
				(this.timeout.compareTo(least) > 0) ? this.timeout : least);
		return (confirmed >= this.replicas) ? null
				: new LockStoreException("%d of %d replicas confirmed %s within %d ms".formatted(confirmed,
						this.replicas, written, this.timeout.toMillis()), null, true);
	}

}
