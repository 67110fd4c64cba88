package io.holdfast.actuate;

import java.time.Instant;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.holdfast.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * A waiter for a lock. Unknown values are {@code null}.
 *
 * @param owner the owner for which it asks
 * @param mode the mode that it asks for
 * @param since when it asked; known for waiters of the answering instance
 * @param waited milliseconds that it has waited; known for waiters of the answering
 * instance
 * @since 0.1.0
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record WaiterDescriptor(@JsonUnwrapped OwnerDescriptor owner, LockMode mode, @Nullable Instant since,
		@Nullable Long waited) {
}
