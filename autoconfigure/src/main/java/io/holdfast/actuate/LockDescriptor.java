package io.holdfast.actuate;

import java.time.Instant;
import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.holdfast.LockMode;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A lock that somebody holds or waits for. What is not known is {@code null}. Of a lock
 * that several share, what is told of the owner goes for the one who has had it longest.
 *
 * @param key the key
 * @param name the lock's name of low cardinality; known of locks that the instance that
 * answers holds or waits for
 * @param mode whether it is shared, or {@code null} when nobody holds it
 * @param owner who holds it, or {@code null} when nobody does
 * @param since when it was granted
 * @param remainingLease how many milliseconds it lasts unless it is renewed; {@code null}
 * for no end as well
 * @param holdCount how many nested holds the owner has
 * @param token the fencing token
 * @param waiters who waits for it, in order
 * @param sharers all who share it, if there are several; else {@code null}, which is left
 * out
 * @param kept {@code true} when it has been released, and is only kept from others; else
 * {@code null}, which is left out
 * @param waiterCount how many wait, as far as the instance that answers knows, if not all
 * of them are told; else {@code null}, which is left out
 * @param sharerCount how many share it, if not all of them are told; else {@code null},
 * which is left out
 * @param error what is in the store in place of a lock; else {@code null}, which is left
 * out
 * @since 0.1.0
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record LockDescriptor(String key, @Nullable String name, @Nullable LockMode mode,
		@Nullable OwnerDescriptor owner, @Nullable Instant since, @Nullable Long remainingLease,
		@Nullable Integer holdCount, @Nullable Long token, List<WaiterDescriptor> waiters,
		@JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<HolderDescriptor> sharers,
		@JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Boolean kept,
		@JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Integer waiterCount,
		@JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Integer sharerCount,
		@JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String error) implements OperationResponseBody {

	static LockDescriptor of(String key, @Nullable String name, @Nullable LockMode mode, List<HolderDescriptor> holders,
			List<WaiterDescriptor> waiters) {
		if (holders.isEmpty()) {
			return new LockDescriptor(key, name, mode, null, null, null, null, null, waiters, null, null, null, null,
					null);
		}
		HolderDescriptor first = holders.get(0);
		return new LockDescriptor(key, name, mode, first.owner(), first.since(), first.remainingLease(),
				first.holdCount(), first.token(), waiters, (holders.size() > 1) ? holders : null, first.kept(), null,
				null, null);
	}

	/**
	 * Return the same, with the numbers of those of whom not all are told.
	 */
	LockDescriptor withCounts(int holders, int waiters) {
		int told = (this.sharers != null) ? this.sharers.size() : 1;
		return new LockDescriptor(this.key, this.name, this.mode, this.owner, this.since, this.remainingLease,
				this.holdCount, this.token, this.waiters, this.sharers, this.kept,
				(waiters > this.waiters.size()) ? waiters : null, (holders > told) ? holders : null, this.error);
	}

	/**
	 * Return the same, with what is in the store in its place.
	 */
	LockDescriptor withError(@Nullable String problem) {
		return new LockDescriptor(this.key, this.name, this.mode, this.owner, this.since, this.remainingLease,
				this.holdCount, this.token, this.waiters, this.sharers, this.kept, this.waiterCount, this.sharerCount,
				problem);
	}

}
