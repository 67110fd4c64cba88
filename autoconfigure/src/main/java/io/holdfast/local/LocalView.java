package io.holdfast.local;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.holdfast.engine.LockStore.WakeUpListener;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.StoreView;
import org.jspecify.annotations.Nullable;

final class LocalView implements StoreView {

	private final LocalLocks locks;

	LocalView(LocalLocks locks) {
		this.locks = locks;
	}

	@Override
	public List<KeyState> look(List<String> keys) {
		return this.locks
			.step((now, wakeUps) -> keys.stream().map((key) -> look(key, now)).filter(KeyState::isKnown).toList());
	}

	private KeyState look(String key, long now) {
		LocalLock lock = this.locks.lock(key, now);
		this.locks.forgetUnused(lock);
		return lock.state(now);
	}

	@Override
	public HeldKeys heldKeys(String prefix, Map<String, KeyRange> ranges, Duration atMost) {
		List<String> held = this.locks.step((now, wakeUps) -> this.locks.heldKeys(now));
		return new HeldKeys(held.stream().filter((key) -> key.startsWith(prefix)).collect(Collectors.toSet()),
				Map.of());
	}

	@Override
	public ForcedRelease forceRelease(String key, @Nullable Long token, Duration within) {
		if (within.isNegative() || within.isZero()) {
			throw new LockStoreException("No time is left to release lock '%s' by force".formatted(key), null, true);
		}
		return this.locks.step((now, wakeUps) -> forceRelease(this.locks.lock(key, now), token, now, wakeUps));
	}

	private ForcedRelease forceRelease(LocalLock lock, @Nullable Long token, long now, List<WakeUp> wakeUps) {
		KeyState before = lock.state(now);
		List<Holder> released = lock.takeAway(token, now);
		if (!released.isEmpty()) {
			lock.wakeFront(wakeUps);
		}
		released.stream()
			.filter((holder) -> !holder.kept())
			.forEach((holder) -> wakeUps.add(WakeUp.forceReleased(lock.key(), holder)));
		this.locks.forgetUnused(lock);
		return new ForcedRelease(before, released);
	}

	@Override
	public Map<String, Map<String, String>> announced(Collection<String> instanceIds) {
		Map<String, Map<String, String>> announced = new HashMap<>();
		instanceIds.forEach((id) -> {
			WakeUpListener listener = this.locks.listener(id);
			if (listener != null && !listener.description().isEmpty()) {
				announced.put(id, listener.description());
			}
		});
		return announced;
	}

}
