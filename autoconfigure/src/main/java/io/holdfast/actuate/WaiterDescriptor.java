package io.holdfast.actuate;

import java.time.Duration;
import java.time.Instant;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.holdfast.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who waits for a lock. What is not known is {@code null}.
 *
 * @param id the owner's id
 * @param instance identity of its instance
 * @param application the instance's application
 * @param host the instance's host
 * @param pid the instance's process
 * @param thread name of the thread that asked for the lock
 * @param threadId id of the thread that is going to be the owner; {@code null} when a
 * handle is
 * @param mode whether it wants to share the lock
 * @param since when it asked; known of waiters of the instance that answers
 * @param waited for how many milliseconds it has waited; known of the same
 * @since 0.1.0
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record WaiterDescriptor(String id, String instance, @Nullable String application, @Nullable String host,
		@Nullable Long pid, @Nullable String thread, @Nullable Long threadId, LockMode mode, @Nullable Instant since,
		@Nullable Long waited) {

	static WaiterDescriptor of(OwnerDescriptor owner, LockMode mode, @Nullable Instant since,
			@Nullable Duration waited) {
		return new WaiterDescriptor(owner.id(), owner.instance(), owner.application(), owner.host(), owner.pid(),
				owner.thread(), owner.threadId(), mode, since, (waited != null) ? waited.toMillis() : null);
	}

}
