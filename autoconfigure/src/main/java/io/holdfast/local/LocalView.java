package io.holdfast.local;

import java.time.Duration;
import java.util.List;
import java.util.Set;

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
	public HeldKeys heldKeys(int most, Duration atMost) {
		List<String> held = this.locks.step((now, wakeUps) -> this.locks.heldKeys(now));
		return new HeldKeys(Set.copyOf(held.subList(0, Math.min(most, held.size()))), held.size() <= most);
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

}
