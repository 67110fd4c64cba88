package io.holdfast.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import io.holdfast.LockMode;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.engine.StoreView.KeyState;
import org.jspecify.annotations.Nullable;

/**
 * The state of a lock that a number of masters agree on.
 */
record Agreement(int size, int spare) {

	// Foreign values in place of a lock block all callers if they leave too few nodes
	KeyState stateOf(String key, List<KeyState> states) {
		List<String> problems = states.stream().map(KeyState::problem).filter(Objects::nonNull).toList();
		if (problems.size() > this.spare) {
			return KeyState.empty(key, problems.get(0));
		}
		Map<Hold, List<Holder>> parts = new LinkedHashMap<>();
		states.forEach((state) -> state.holders()
			.forEach((holder) -> parts.computeIfAbsent(Hold.of(state, holder), (hold) -> new ArrayList<>())
				.add(holder)));
		parts.values().removeIf((ofNodes) -> ofNodes.size() < this.size);
		List<Holder> holders = parts.values().stream().map(this::agreed).toList();
		List<KeyState> queues = states.stream().sorted(Comparator.comparingInt(KeyState::waiterCount)).toList();
		KeyState longest = queues.isEmpty() ? KeyState.empty(key, null) : queues.get(queues.size() - 1);
		return new KeyState(key, parts.keySet().stream().findFirst().map(Hold::mode).orElse(null), 0, holders,
				Math.max(holders.size(), holderCount(states)), longest.waiters(), longest.waiterCount(), null);
	}

	// Zero if nodes have listed all
	private int holderCount(List<KeyState> states) {
		return agreed(states.stream()
			.filter((state) -> state.holderCount() > state.holders().size())
			.map(KeyState::holderCount)).orElse(0);
	}

	// The greatest value that so many nodes reach
	private <T extends Comparable<T>> Optional<T> agreed(Stream<T> values) {
		return values.sorted(Comparator.reverseOrder()).skip(this.size - 1L).findFirst();
	}

	// A hold lasts as long as so many nodes say
	private Holder agreed(List<Holder> parts) {
		Holder any = parts.get(0);
		Duration remaining = agreed(parts.stream().map(Holder::remaining)).orElseThrow();
		int count = agreed(parts.stream().map(Holder::holdCount)).orElseThrow();
		return new Holder(any.owner(), any.kept(), count, any.token(), remaining);
	}

	private record Hold(@Nullable LockMode mode, String owner, boolean kept, long token) {

		static Hold of(KeyState state, Holder holder) {
			return new Hold(state.mode(), holder.owner(), holder.kept(), holder.token());
		}

	}

}
