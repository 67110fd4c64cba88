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
		return this.locks.step(keys, (rules) -> keys.stream().map(rules::look).filter(KeyState::isKnown).toList());
	}

	@Override
	public HeldKeys heldKeys(int most, Duration atMost) {
		List<String> held = this.locks.heldKeys();
		return new HeldKeys(Set.copyOf(held.subList(0, Math.min(most, held.size()))), held.size() <= most);
	}

	@Override
	public ForcedRelease forceRelease(String key, @Nullable Long token, Duration within) {
		if (within.isNegative() || within.isZero()) {
			throw new LockStoreException("No time is left to release lock '%s' by force".formatted(key), null, true);
		}
		return this.locks.step(List.of(key), (rules) -> rules.forceRelease(key, token));
	}

}
