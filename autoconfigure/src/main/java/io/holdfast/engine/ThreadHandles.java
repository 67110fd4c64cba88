package io.holdfast.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

import io.holdfast.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * The handles that each thread has got through a {@link LockView} and not yet given up
 * through one: last in, first out for each key.
 */
final class ThreadHandles {

	private final ThreadLocal<Map<String, Deque<LockHandle>>> handles = ThreadLocal.withInitial(HashMap::new);

	void push(String key, LockHandle handle) {
		this.handles.get().computeIfAbsent(key, (k) -> new ArrayDeque<>(1)).push(handle);
	}

	@Nullable LockHandle pop(String key) {
		Map<String, Deque<LockHandle>> ofThisThread = this.handles.get();
		Deque<LockHandle> ofTheKey = ofThisThread.get(key);
		LockHandle handle = (ofTheKey != null) ? ofTheKey.pop() : null;
		if (ofTheKey != null && ofTheKey.isEmpty()) {
			ofThisThread.remove(key);
		}
		if (ofThisThread.isEmpty()) {
			this.handles.remove();
		}
		return handle;
	}

}
