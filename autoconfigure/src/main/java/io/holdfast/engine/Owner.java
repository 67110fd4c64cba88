package io.holdfast.engine;

import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.engine.store.StoreView;
import org.jspecify.annotations.Nullable;

/**
 * The holder of a lock: a thread of this instance, or a handle.
 *
 * @param id the owner's id in the store
 * @param threadName name of the thread that acquires
 * @param threadId id of that thread
 * @param thread the thread that owns, or {@code null} when the handle does
 */
record Owner(String id, String threadName, long threadId, @Nullable Thread thread) {

	/**
	 * Return who owns what an instance retains.
	 */
	static Owner ofInstance(String instanceId) {
		return new Owner(instanceId + StoreView.RETAINED, "", 0, null);
	}

	/**
	 * Return whether the owner can no longer release what it holds.
	 */
	boolean isDead() {
		return this.thread != null && !this.thread.isAlive();
	}

	/**
	 * Return who this is, as people know it.
	 * @param asking who waits for what this owner holds, or {@code null} for an operator
	 */
	String name(@Nullable Owner asking) {
		String who = (this.threadName.isEmpty() ? "thread %d" : "thread '%2$s'").formatted(this.threadId,
				this.threadName);
		String whose = (asking != null && asking.threadId == this.threadId) ? "the caller's own " + who
				: who + " of this instance";
		return (this.thread != null) ? whose : "a handle of " + whose;
	}

	static final class Factory {

		private final String prefix;

		private final AtomicLong handles = new AtomicLong();

		Factory(String instanceId) {
			this.prefix = instanceId + ":";
		}

		Owner currentThread() {
			Thread thread = Thread.currentThread();
			return new Owner(this.prefix + thread.getId(), thread.getName(), thread.getId(), thread);
		}

		Owner newHandle() {
			Thread thread = Thread.currentThread();
			String id = this.prefix + "handle-" + this.handles.incrementAndGet();
			return new Owner(id, thread.getName(), thread.getId(), null);
		}

	}

}
