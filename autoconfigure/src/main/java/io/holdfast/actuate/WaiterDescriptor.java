package io.holdfast.actuate;

import java.time.Instant;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.holdfast.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * A waiter for a lock. What is not known is {@code null}.
 *
 * @param owner the owner that it would be
 * @param mode whether it wants to share the lock
 * @param since when it asked; known of waiters of the instance that answers
 * @param waited for how many milliseconds it has waited; known of the same
 * @since 0.1.0
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record WaiterDescriptor(@JsonUnwrapped OwnerDescriptor owner, LockMode mode, @Nullable Instant since,
		@Nullable Long waited) {

}
