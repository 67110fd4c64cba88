package io.holdfast.engine;

import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.engine.store.StoreView;
import org.jspecify.annotations.Nullable;

/**
 * The holder of a lock: a thread of this instance, or a handle.
 *
 * @param id the owner's id in the store
 * @param threadName name of the thread that acquires
 * @param thread the thread that owns, or {@code null} when the handle does
 */
record Owner(String id, String threadName, @Nullable Thread thread) {

	/**
	 * Return whether the owner can no longer release what it holds.
	 */
	boolean isDead() {
		return this.thread != null && !this.thread.isAlive();
	}

	static final class Factory {

		private final String prefix;

		private final Owner instance;

		private final AtomicLong handles = new AtomicLong();

		Factory(String instanceId) {
			this.prefix = instanceId + ":";
			this.instance = new Owner(instanceId + StoreView.RETAINED, "", null);
		}

		/**
		 * Return the owner of retained locks.
		 */
		Owner instance() {
			return this.instance;
		}

		Owner currentThread() {
			Thread thread = Thread.currentThread();
			return new Owner(this.prefix + thread.getId(), thread.getName(), thread);
		}

		Owner newHandle() {
			String id = this.prefix + "handle-" + this.handles.incrementAndGet();
			return new Owner(id, Thread.currentThread().getName(), null);
		}

	}

}
