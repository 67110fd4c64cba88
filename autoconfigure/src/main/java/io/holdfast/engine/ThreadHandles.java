package io.holdfast.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

import io.holdfast.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * The handles that each thread has got through a {@link LockView} and not yet given up
 * through one: last in, first out for each lock.
 */
final class ThreadHandles {

	private final ThreadLocal<Map<LockView.Id, Deque<LockHandle>>> handles = ThreadLocal.withInitial(HashMap::new);

	void push(LockView.Id id, LockHandle handle) {
		this.handles.get().computeIfAbsent(id, (i) -> new ArrayDeque<>(1)).push(handle);
	}

	@Nullable LockHandle pop(LockView.Id id) {
		Map<LockView.Id, Deque<LockHandle>> ofThisThread = this.handles.get();
		Deque<LockHandle> ofTheLock = ofThisThread.get(id);
		LockHandle handle = (ofTheLock != null) ? ofTheLock.pop() : null;
		if (ofTheLock != null && ofTheLock.isEmpty()) {
			ofThisThread.remove(id);
		}
		if (ofThisThread.isEmpty()) {
			this.handles.remove();
		}
		return handle;
	}

}
