package io.holdfast.actuate;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.holdfast.engine.OwnerId;
import org.jspecify.annotations.Nullable;

/**
 * The owner of a lock, or a waiter for one. Unknown values are {@code null}: an instance
 * may keep to itself who it is.
 *
 * @param id the owner's id
 * @param instance identity of its instance
 * @param application the instance's application
 * @param host the instance's host
 * @param pid the instance's process
 * @param thread name of the thread that asked for the lock, if it is one of the answering
 * instance
 * @param threadId id of the thread that is the owner; {@code null} when a handle is
 * @since 0.1.0
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record OwnerDescriptor(String id, String instance, @Nullable String application, @Nullable String host,
		@Nullable Long pid, @Nullable String thread, @Nullable Long threadId) {

	static OwnerDescriptor of(String id, @Nullable String thread) {
		OwnerId owner = OwnerId.of(id);
		return new OwnerDescriptor(id, owner.instance(), owner.application(), owner.host(), owner.pid(), thread,
				owner.threadId());
	}

}
