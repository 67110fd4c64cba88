package io.holdfast.actuate;

import java.time.Instant;
import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * A holder of a lock. What is not known is {@code null}.
 *
 * @param owner who it is; {@code null} in place of the holder of a free lock
 * @param since when the lock was granted
 * @param remainingLease how many milliseconds it lasts unless it is renewed; {@code null}
 * for no end as well
 * @param holdCount how many nested holds there are
 * @param token the fencing token
 * @param kept {@code true} when the owner has released it, and it is only kept from
 * others; else {@code null}, which is left out
 * @param retained {@code true} when an instance has it for later use; else {@code null},
 * which is left out
 * @since 0.1.0
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record HolderDescriptor(@Nullable OwnerDescriptor owner, @Nullable Instant since, @Nullable Long remainingLease,
		@Nullable Integer holdCount, @Nullable Long token,
		@JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Boolean kept,
		@JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Boolean retained) {

	/**
	 * Return the first of the holders of a lock, or nothing known of one when it is free.
	 */
	static HolderDescriptor first(List<HolderDescriptor> holders) {
		return holders.isEmpty() ? new HolderDescriptor(null, null, null, null, null, null, null) : holders.get(0);
	}

}
