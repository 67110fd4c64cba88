package io.holdfast.sample.live;

import java.util.List;

import io.holdfast.actuate.LockDescriptor;
import io.holdfast.actuate.LocksDescriptor;
import io.holdfast.actuate.LocksEndpoint;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * The locks of all instances, as the endpoint tells them; without Redis, those of this
 * instance.
 */
@Component
class LockTable {

	private static final String UNAVAILABLE = "Redis does not answer: these are the locks of this instance";

	private final LocksEndpoint endpoint;

	LockTable(LocksEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	/**
	 * Return the locks as they are now, for the page.
	 */
	Message message() {
		return new Message("locks", locks());
	}

	private Locks locks() {
		LocksDescriptor all = this.endpoint.locks(true);
		return new Locks(all.instance(), all.locks(), (all.error() != null) ? UNAVAILABLE : null);
	}

	/**
	 * What the page is told. The endpoint's own answer would be written by the mapper of
	 * endpoints, which events do not have.
	 *
	 * @param instance the instance that was asked
	 * @param locks the locks
	 * @param error why these are not all, or {@code null}
	 */
	record Locks(String instance, List<LockDescriptor> locks, @Nullable String error) {
	}

}
