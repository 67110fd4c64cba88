package io.holdfast.redis;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.holdfast.engine.StoreView;
import org.jspecify.annotations.Nullable;

/**
 * What is seen of the locks on several masters: what a quorum of them agrees on.
 */
final class QuorumView implements StoreView {

	/**
	 * How long to wait for nodes. Nobody's lock depends on the answer, but whoever asks
	 * several questions in a row wants them answered in two seconds although a node is
	 * down.
	 */
	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private final Quorum quorum;

	/**
	 * Create a view.
	 * @param quorum the nodes that decide
	 */
	QuorumView(Quorum quorum) {
		this.quorum = new Quorum(quorum.nodes(), quorum.size(), TIMEOUT);
	}

	@Override
	public List<KeyState> look(List<String> keys) {
		Map<String, List<KeyState>> states = ask((view) -> view.look(keys)).stream()
			.flatMap(List::stream)
			.collect(Collectors.groupingBy(KeyState::key));
		return keys.stream()
			.map((key) -> agreed(key, states.getOrDefault(key, List.of())))
			.filter(KeyState::isKnown)
			.toList();
	}

	@Override
	public HeldKeys heldKeys(int limit) {
		Set<String> keys = new LinkedHashSet<>();
		boolean more = false;
		for (HeldKeys ofNode : ask((view) -> view.heldKeys(limit))) {
			keys.addAll(ofNode.keys());
			more |= ofNode.more();
		}
		return new HeldKeys(keys.stream().limit(limit).toList(), more || keys.size() > limit);
	}

	@Override
	public @Nullable KeyState takeAway(String key) {
		List<KeyState> states = ask((view) -> view.seize(key));
		KeyState taken = agreed(key, states);
		return taken.holders().isEmpty() ? null : taken;
	}

	@Override
	public void announce(Map<String, String> details, Duration lasts) {
		ask((view) -> {
			view.announce(details, lasts);
			return true;
		});
	}

	@Override
	public void withdraw() {
		ask((view) -> {
			view.withdraw();
			return true;
		});
	}

	@Override
	public Map<String, Map<String, String>> announced(Collection<String> instanceIds) {
		Map<String, Map<String, String>> announced = new LinkedHashMap<>();
		ask((view) -> view.announced(instanceIds)).forEach(announced::putAll);
		return announced;
	}

	/**
	 * Ask all nodes.
	 * @return the answers of those that can be reached, which are a quorum
	 */
	private <T> List<T> ask(Function<RedisView, T> question) {
		Poll<T> poll = this.quorum.ask((node) -> question.apply(node.view()),
				(answers) -> answers.answers().size() >= this.quorum.size() && answers.isSettled(this.quorum.nodes()));
		if (poll.answers().size() < this.quorum.size()) {
			throw this.quorum.tooFew(poll);
		}
		return List.copyOf(poll.answers().values());
	}

	private KeyState agreed(String key, List<KeyState> states) {
		List<Holder> holders = states.stream()
			.flatMap((state) -> state.holders().stream())
			.collect(Collectors.groupingBy(Hold::of, LinkedHashMap::new, Collectors.toList()))
			.values()
			.stream()
			.filter((parts) -> parts.size() >= this.quorum.size())
			.map(this::agreed)
			.toList();
		return new KeyState(key,
				holders.isEmpty() ? null
						: states.stream().map(KeyState::mode).filter(Objects::nonNull).findFirst().orElse(null),
				holders,
				states.stream().map(KeyState::waiters).max(Comparator.comparingInt(List::size)).orElse(List.of()));
	}

	/**
	 * A hold lasts as long as a quorum says.
	 */
	private Holder agreed(List<Holder> parts) {
		Holder any = parts.get(0);
		Duration remaining = parts.stream()
			.map(Holder::remaining)
			.sorted(Comparator.reverseOrder())
			.skip(this.quorum.size() - 1L)
			.findFirst()
			.orElseThrow();
		int count = parts.stream().mapToInt(Holder::holdCount).max().orElseThrow();
		return new Holder(any.owner(), any.kept(), count, any.token(), remaining);
	}

	private record Hold(String owner, boolean kept, long token) {

		static Hold of(Holder holder) {
			return new Hold(holder.owner(), holder.kept(), holder.token());
		}

	}

}
