package io.holdfast.actuate;

import java.time.Instant;
import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * A holder of a lock. Unknown values are {@code null}.
 *
 * @param owner who it is; {@code null} in place of the holder of a free lock
 * @param since when the lock was granted
 * @param remainingLease milliseconds until it expires, unless it is renewed; {@code null}
 * also if it does not expire
 * @param holdCount number of nested acquisitions in the lock's mode
 * @param token the fencing token
 * @param kept {@code true} if the owner has released it and {@code minHold} keeps it;
 * else {@code null}, which is left out
 * @since 0.1.0
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record HolderDescriptor(@Nullable OwnerDescriptor owner, @Nullable Instant since, @Nullable Long remainingLease,
		@Nullable Integer holdCount, @Nullable Long token,
		@JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Boolean kept) {

	static HolderDescriptor first(List<HolderDescriptor> holders) {
		return holders.isEmpty() ? new HolderDescriptor(null, null, null, null, null, null) : holders.get(0);
	}

}
