package io.holdfast.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.holdfast.engine.LockStore.Denied;
import io.holdfast.quorum.NodeLocks.Attempt;
import org.jspecify.annotations.Nullable;

/**
 * What an attempt without a quorum learned from the nodes that denied it.
 */
final class Denials {

	private final Collection<Attempt> attempts;

	private final int granted;

	private final int quorum;

	Denials(Collection<Attempt> attempts, int granted, int quorum) {
		this.attempts = attempts;
		this.granted = granted;
		this.quorum = quorum;
	}

	private List<Denied> denied() {
		return this.attempts.stream().map(Attempt::outcome).map(Denied.class::cast).toList();
	}

	// Until a quorum of nodes could grant the locks, as far as they know
	Duration remaining() {
		Duration forever = Duration.ofMillis(Long.MAX_VALUE);
		List<Duration> times = new ArrayList<>(Collections.nCopies(this.granted, Duration.ZERO));
		denied().forEach((denied) -> times.add(denied.remaining().isNegative() ? forever : denied.remaining()));
		while (times.size() < this.quorum) {
			times.add(forever);
		}
		times.sort(null);
		Duration remaining = times.get(this.quorum - 1);
		return remaining.equals(forever) ? Duration.ofMillis(-1) : remaining;
	}

	// The queues differ so much that no waiter is first on a quorum of the nodes that
	// answer, as far as can be seen: this waiter is on some, and each of the others on
	// too few. If all kept their places, none would ever get a quorum
	boolean isSplit() {
		if (this.granted == 0 || this.granted >= this.quorum) {
			return false;
		}
		return this.attempts.stream().allMatch((attempt) -> attempt.ahead() != null)
				&& counted(Attempt::ahead).values().stream().noneMatch((nodes) -> nodes >= this.quorum);
	}

	// A node that has granted the locks has this waiter in front
	int position() {
		return (this.granted > 0) ? 1 : denied().stream().mapToInt(Denied::position).min().orElse(1);
	}

	@Nullable String holder() {
		return counted((attempt) -> ((Denied) attempt.outcome()).holder()).entrySet()
			.stream()
			.max(Map.Entry.comparingByValue())
			.map(Map.Entry::getKey)
			.orElse(null);
	}

	private Map<String, Long> counted(Function<Attempt, @Nullable String> name) {
		return this.attempts.stream()
			.map(name)
			.filter(Objects::nonNull)
			.collect(Collectors.groupingBy(Function.identity(), LinkedHashMap::new, Collectors.counting()));
	}

}
