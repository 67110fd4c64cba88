package io.holdfast.test;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.WakeUpListener;
import org.jspecify.annotations.Nullable;

/**
 * Records what a store tells its instance.
 */
public final class RecordingWakeUps implements WakeUpListener {

	private final List<String> messages = new CopyOnWriteArrayList<>();

	private final AtomicInteger all = new AtomicInteger();

	private volatile @Nullable Error error;

	public void fail(@Nullable Error error) {
		this.error = error;
	}

	@Override
	public void wakeUp(String key, String placeId) {
		this.messages.add(key + "@" + placeId);
		Error thrown = this.error;
		if (thrown != null) {
			throw thrown;
		}
	}

	@Override
	public void wakeUpAll() {
		this.all.incrementAndGet();
	}

	@Override
	public void forceReleased(HoldId hold) {
		this.messages.add(hold.toString());
	}

	@Override
	public void wanted(String key, boolean fair) {
		this.messages.add(key + (fair ? " is wanted next" : " is wanted"));
	}

	/**
	 * Return all messages but those to all waiters: a wake-up as {@code key@place}.
	 */
	public List<String> messages() {
		return this.messages;
	}

	public int all() {
		return this.all.get();
	}

}
