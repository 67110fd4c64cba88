package io.holdfast.integration;

import java.util.ArrayDeque;
import java.util.Deque;

import io.holdfast.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * The handles that each thread has acquired and not released, the last one first.
 */
final class ThreadHandles {

	private final ThreadLocal<@Nullable Deque<LockHandle>> handles = new ThreadLocal<>();

	void add(LockHandle handle) {
		Deque<LockHandle> ofThisThread = this.handles.get();
		if (ofThisThread == null) {
			ofThisThread = new ArrayDeque<>();
			this.handles.set(ofThisThread);
		}
		ofThisThread.push(handle);
	}

	@Nullable LockHandle last(String key) {
		Deque<LockHandle> ofThisThread = this.handles.get();
		return (ofThisThread != null)
				? ofThisThread.stream().filter((handle) -> handle.keys().contains(key)).findFirst().orElse(null) : null;
	}

	void remove(LockHandle handle) {
		Deque<LockHandle> ofThisThread = this.handles.get();
		if (ofThisThread != null && ofThisThread.remove(handle) && ofThisThread.isEmpty()) {
			this.handles.remove();
		}
	}

}
