package io.holdfast.quorum;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.holdfast.engine.MonotonicClock;
import io.holdfast.engine.StoreView;
import io.holdfast.redis.RedisView;
import org.jspecify.annotations.Nullable;

final class QuorumView implements StoreView {

	// How long to wait for nodes. No lock depends on the answer, but the endpoint sends
	// several requests in a row, and answers in two seconds although a node is down
	static final Duration TIMEOUT = Duration.ofSeconds(1);

	private final Quorum quorum;

	private final Duration timeout;

	QuorumView(Quorum quorum, Duration timeout) {
		this.quorum = new Quorum(quorum.nodes(), quorum.size(), timeout);
		this.timeout = timeout;
	}

	@Override
	public List<KeyState> look(List<String> keys) {
		Map<String, List<KeyState>> states = ask((view) -> view.look(keys)).stream()
			.flatMap(List::stream)
			.collect(Collectors.groupingBy(KeyState::key));
		Agreement agreement = new Agreement(this.quorum.size(), this.quorum.spare());
		return keys.stream()
			.map((key) -> agreement.stateOf(key, states.getOrDefault(key, List.of())))
			.filter(KeyState::isKnown)
			.toList();
	}

	@Override
	public HeldKeys heldKeys(int most, Duration atMost) {
		Duration scan = scan(atMost);
		List<HeldKeys> ofNodes = ask((view) -> view.heldKeys(most, scan));
		return new HeldKeys(ofNodes.stream().flatMap((node) -> node.keys().stream()).collect(Collectors.toSet()),
				ofNodes.stream().allMatch(HeldKeys::complete));
	}

	// A scan that took all of the time would leave none for its answer
	private Duration scan(Duration atMost) {
		Duration longest = this.timeout.multipliedBy(3).dividedBy(4);
		return (atMost.compareTo(longest) < 0) ? atMost : longest;
	}

	@Override
	public ForcedRelease forceRelease(String key, @Nullable Long token, Duration within) {
		return new QuorumForcedRelease(this.quorum, key).run(token, System.nanoTime() + MonotonicClock.toNanos(within));
	}

	private <T> List<T> ask(Function<RedisView, T> question) {
		return this.quorum.survey((node) -> question.apply(node.view()));
	}

}
