package io.holdfast.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

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

	/**
	 * Return what was pushed last, or {@code null} when there is nothing.
	 */
	@Nullable LockHandle peek(LockView.Id id) {
		Map<LockView.Id, Deque<LockHandle>> ofThisThread = this.handles.get();
		Deque<LockHandle> ofTheLock = ofThisThread.get(id);
		if (ofTheLock == null) {
			removeIfEmpty(ofThisThread);
			return null;
		}
		return ofTheLock.peek();
	}

	/**
	 * Take off what was pushed last.
	 */
	void pop(LockView.Id id) {
		Map<LockView.Id, Deque<LockHandle>> ofThisThread = this.handles.get();
		Deque<LockHandle> ofTheLock = Objects.requireNonNull(ofThisThread.get(id));
		ofTheLock.pop();
		if (ofTheLock.isEmpty()) {
			ofThisThread.remove(id);
		}
		removeIfEmpty(ofThisThread);
	}

	private void removeIfEmpty(Map<LockView.Id, Deque<LockHandle>> ofThisThread) {
		if (ofThisThread.isEmpty()) {
			this.handles.remove();
		}
	}

}
