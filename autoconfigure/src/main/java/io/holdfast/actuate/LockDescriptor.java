package io.holdfast.actuate;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.holdfast.LockMode;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A lock that is held or waited for. Unknown values are {@code null}; those from
 * {@code waiterCount} on are then left out.
 *
 * @param key the key
 * @param name the lock's name, if the answering instance uses the lock
 * @param mode exclusive or shared; {@code null} when the lock is free
 * @param holder the holder; of a lock that several share, the one that has had it longest
 * @param waiters the waiters, in order; those of the answering instance that have no
 * place in the store's queue come last
 * @param waiterCount how many wait, if not all are listed
 * @param sharers all holders, if there are several
 * @param sharerCount how many holders share it, if there are several or their number is
 * limited
 * @param permits how many may share it at a time, as the last of them said
 * @param error what the store has in place of a lock
 * @since 0.1.0
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record LockDescriptor(String key, @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable String name,
		@JsonInclude(JsonInclude.Include.ALWAYS) @Nullable LockMode mode, @JsonUnwrapped HolderDescriptor holder,
		List<WaiterDescriptor> waiters, @Nullable Integer waiterCount, @Nullable List<HolderDescriptor> sharers,
		@Nullable Integer sharerCount, @Nullable Integer permits,
		@Nullable String error) implements OperationResponseBody {
}
