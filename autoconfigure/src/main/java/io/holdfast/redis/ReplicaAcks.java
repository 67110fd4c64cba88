package io.holdfast.redis;

import java.time.Duration;

import io.holdfast.engine.LockStore.HoldId;
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

	// Wait until replicas have a grant, on the connection that wrote it: Redis waits for
	// that one's writes. Throws if too few have it, so that the connection is not used
	// again: its server may no longer be the master
	void require(LockConnection connection, @Nullable HoldId granted) {
		Duration least = Duration.ofMillis(1);
		long replicas = connection.awaitReplicas(this.replicas,
				(this.timeout.compareTo(least) > 0) ? this.timeout : least);
		if (replicas < this.replicas) {
			String few = "%d of %d replicas confirmed %s within %d ms";
			throw (granted != null)
					? new UnconfirmedGrantException(granted,
							(few + ", so it is released").formatted(replicas, this.replicas, "the grant",
									this.timeout.toMillis()))
					: new LockStoreException(few.formatted(replicas, this.replicas, "a write", this.timeout.toMillis()),
							null, true);
		}
	}

	static final class UnconfirmedGrantException extends LockStoreException {

		private static final long serialVersionUID = 1L;

		private final transient HoldId granted;

		private UnconfirmedGrantException(HoldId granted, String message) {
			super(message, null, true);
			this.granted = granted;
		}

		HoldId granted() {
			return this.granted;
		}

	}

}
