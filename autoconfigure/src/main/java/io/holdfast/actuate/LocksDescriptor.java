package io.holdfast.actuate;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Locks, as one instance sees them.
 *
 * @param instance identity of the instance that answers
 * @param error why the request failed; then the locks are those in the instance's memory.
 * Else {@code null}, which is left out
 * @param locks the locks
 * @param truncated {@code true} when there may be more; else {@code null}, which is left
 * out
 * @since 0.1.0
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record LocksDescriptor(String instance, @Nullable String error, List<LockDescriptor> locks,
		@Nullable Boolean truncated) implements OperationResponseBody {
}
