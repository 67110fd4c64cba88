package io.holdfast.engine;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The holder of a lock: a thread of this instance, or a handle.
 */
record Owner(String id, String threadName, long threadId, @Nullable Thread thread) {

	// It can no longer release what it holds
	boolean isDead() {
		return this.thread != null && !this.thread.isAlive();
	}

	// An operator asks without being an owner. A handle is never called the caller's own:
	// the thread that made it may run the code of many callers
	String describe(@Nullable Owner asking) {
		String who = (this.threadName.isEmpty() ? "thread %d" : "thread '%2$s'").formatted(this.threadId,
				this.threadName);
		boolean own = this.thread != null && asking != null && asking.threadId == this.threadId;
		String whose = own ? "the caller's own " + who : who + " of this instance";
		return (this.thread != null) ? whose : "a handle of " + whose;
	}

	/**
	 * Makes the owners of this instance. Its id is made at the first use: copies of a
	 * process that was not used yet get their own.
	 */
	static final class Factory {

		private final Supplier<String> instanceIds;

		private final AtomicLong handles = new AtomicLong();

		private volatile @Nullable Instance instance;

		Factory(Supplier<String> instanceIds) {
			this.instanceIds = instanceIds;
		}

		// Only while no lock can be acquired
		void renew() {
			this.instance = null;
		}

		private Instance instance() {
			Instance present = this.instance;
			return (present != null) ? present : newInstance();
		}

		private synchronized Instance newInstance() {
			Instance present = this.instance;
			if (present == null) {
				present = Instance.of(this.instanceIds.get());
				this.instance = present;
			}
			return present;
		}

		String instanceId() {
			return instance().id();
		}

		Owner currentThread() {
			Thread thread = Thread.currentThread();
			return new Owner(instance().prefix() + thread.getId(), thread.getName(), thread.getId(), thread);
		}

		Owner newHandle() {
			Thread thread = Thread.currentThread();
			String id = instance().prefix() + "handle-" + this.handles.incrementAndGet();
			return new Owner(id, thread.getName(), thread.getId(), null);
		}

		private record Instance(String id, String prefix) {

			static Instance of(String id) {
				Assert.hasText(id, "The id of an instance must not be null or blank");
				Assert.isTrue(id.indexOf(':') < 0, "The id of an instance must not contain a colon");
				return new Instance(id, id + ":");
			}

		}

	}

}
