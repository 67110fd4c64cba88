package io.holdfast.docs;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.LockHandle;
import io.holdfast.LockListener;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.LockTemplate;

import org.springframework.beans.factory.ObjectProvider;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sees which locks are acquired and which are not.
 */
class Locking implements LockListener {

	private final ObjectProvider<LockTemplate> locks;

	private final List<String> acquired = new CopyOnWriteArrayList<>();

	private final AtomicInteger refusals = new AtomicInteger();

	Locking(ObjectProvider<LockTemplate> locks) {
		this.locks = locks;
	}

	@Override
	public void onAcquired(LockSnapshot lock, Duration waited) {
		this.acquired.addAll(lock.keys());
	}

	@Override
	public void onNotAcquired(LockRequest request, Duration waited) {
		this.refusals.incrementAndGet();
	}

	/**
	 * Return the keys that were locked, except by this object.
	 */
	List<String> acquired() {
		return this.acquired;
	}

	/**
	 * Return how many calls did not get their lock.
	 */
	int refusals() {
		return this.refusals.get();
	}

	boolean isFree(String key) {
		LockRequest oneTry = LockRequest.of(key).ownedByHandle().waitFor(Duration.ZERO);
		boolean free = this.locks.getObject().tryExecute(oneTry, LockHandle::isHeld).orElse(false);
		if (free) {
			this.acquired.remove(this.acquired.lastIndexOf(key));
		}
		return free;
	}

	void whileHeldElsewhere(String key, Runnable action) {
		try (LockHandle lock = this.locks.getObject().acquire(LockRequest.of(key).ownedByHandle())) {
			this.acquired.remove(key);
			action.run();
			assertThat(lock.isHeld()).isTrue();
		}
	}

}
