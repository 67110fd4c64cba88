package io.holdfast.local;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

import io.holdfast.engine.store.LockStoreException;
import io.holdfast.engine.store.StoreView;
import org.jspecify.annotations.Nullable;

/**
 * What is seen of the locks in memory.
 */
final class LocalView implements StoreView {

	private final LocalLocks locks;

	LocalView(LocalLocks locks) {
		this.locks = locks;
	}

	@Override
	public List<KeyState> look(List<String> keys) {
		return keys.stream().map(this.locks::look).filter(Objects::nonNull).toList();
	}

	@Override
	public HeldKeys heldKeys(String prefix, Map<String, KeyRange> ranges, Duration atMost) {
		return new HeldKeys(
				this.locks.heldKeys().stream().filter((key) -> key.startsWith(prefix)).collect(Collectors.toSet()),
				Map.of());
	}

	@Override
	public ForcedRelease forceRelease(String key, @Nullable Long token, Duration within) {
		if (within.isNegative() || within.isZero()) {
			throw new LockStoreException("No time is left to release lock '%s' by force".formatted(key), null, true);
		}
		return this.locks.forceRelease(key, token);
	}

	@Override
	public Map<String, Map<String, String>> announced(Collection<String> instanceIds) {
		Map<String, Map<String, String>> announced = new HashMap<>();
		instanceIds.forEach((id) -> {
			Map<String, String> details = this.locks.listeners().description(id);
			if (!details.isEmpty()) {
				announced.put(id, details);
			}
		});
		return announced;
	}

}
