package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.holdfast.LockMode;
import io.holdfast.LogText;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.MonotonicClock;
import io.holdfast.engine.StoreView;
import io.holdfast.engine.UnfinishedReleaseException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is seen of the locks on several masters: what a quorum of them agrees on.
 */
final class QuorumView implements StoreView {

	private static final Logger logger = LoggerFactory.getLogger(QuorumView.class);

	/**
	 * How long to wait for nodes. Nobody's lock depends on the answer, but whoever asks
	 * several questions in a row wants them answered in two seconds although a node is
	 * down.
	 */
	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	/**
	 * How long a node goes through its keys: so that its answer comes in time.
	 */
	private static final Duration SCAN = TIMEOUT.multipliedBy(3).dividedBy(4);

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
			.map((key) -> agreed(key, states.getOrDefault(key, List.of()), this.quorum.size()))
			.filter(KeyState::isKnown)
			.toList();
	}

	@Override
	public HeldKeys heldKeys(int limit, Duration atMost) {
		Set<String> keys = new LinkedHashSet<>();
		boolean more = false;
		for (HeldKeys ofNode : ask((view) -> view.heldKeys(limit, (atMost.compareTo(SCAN) < 0) ? atMost : SCAN))) {
			keys.addAll(ofNode.keys());
			more |= ofNode.more();
		}
		return new HeldKeys(keys.stream().limit(limit).toList(), more || keys.size() > limit);
	}

	/**
	 * Looks at the nodes before it asks any of them to release the lock: whoever gets it
	 * from the first ones that did is not meant.
	 */
	@Override
	public ForcedRelease forceRelease(String key, @Nullable Long token, Duration within) {
		long end = System.nanoTime() + MonotonicClock.toNanos(within);
		List<LockImage> images = ask((view) -> view.image(key));
		TokenRange tokens = TokenRange.of(token, images.stream().mapToLong(LockImage::lastToken).max().orElse(0));
		return release(agreed(key, images.stream().map(LockImage::state).toList(), 1), tokens, end);
	}

	/**
	 * Release a lock at all nodes.
	 * @return from whom at least one of them took it
	 */
	private ForcedRelease release(KeyState before, TokenRange tokens, long end) {
		String key = before.key();
		CompletableFuture<List<Holder>> told = new CompletableFuture<>();
		Poll<ForcedRelease> poll = this.quorum.ask((node) -> node.view().forceRelease(key, tokens, end),
				this::isSettled, (node, late) -> told.thenAccept((known) -> tellOfLate(key, late, known)));
		List<Holder> released = released(key, releases(poll));
		try {
			if (poll.answers().size() < this.quorum.size()) {
				released.forEach((holder) -> tellOfSome(key, holder));
				throw tooFew(poll, before);
			}
		}
		finally {
			told.complete(released);
		}
		return new ForcedRelease(before, released);
	}

	/**
	 * Return what nodes have released, those that did not get to the end included.
	 */
	private static List<ForcedRelease> releases(Poll<ForcedRelease> poll) {
		List<ForcedRelease> releases = new ArrayList<>(poll.answers().values());
		poll.failures().values().forEach((failure) -> {
			if (failure instanceof UnfinishedReleaseException unfinished) {
				releases.add(unfinished.release());
			}
		});
		return releases;
	}

	/**
	 * What nodes have not answered may be done nevertheless.
	 */
	private LockStoreException tooFew(Poll<ForcedRelease> poll, KeyState before) {
		LockStoreException tooFew = this.quorum.tooFew(poll);
		boolean answered = poll.answers().size() + poll.failures().size() == this.quorum.nodes().size();
		boolean certain = answered && poll.failures()
			.values()
			.stream()
			.noneMatch(
					(failure) -> failure instanceof UnfinishedReleaseException unfinished && unfinished.isUncertain());
		return certain ? tooFew : UnfinishedReleaseException.uncertain(new ForcedRelease(before, List.of()), tooFew);
	}

	/**
	 * Tell what a node has released after the answer was given, but for what is known.
	 */
	private void tellOfLate(String key, @Nullable ForcedRelease late, List<Holder> known) {
		if (late != null) {
			late.released()
				.stream()
				.filter((holder) -> known.stream().noneMatch((told) -> told.token() == holder.token()))
				.forEach((holder) -> tellOfSome(key, holder));
		}
	}

	/**
	 * Tell what has been done at nodes that are too few, or too late, to be answered for.
	 */
	private static void tellOfSome(String key, Holder holder) {
		logger.atWarn()
			.addKeyValue("key", key)
			.addKeyValue("owner", holder.owner())
			.addKeyValue("token", holder.token())
			.log("Lock '{}' of {} was released by force at some nodes only: token {}; it may still be held",
					LogText.of(key), LogText.of(holder.owner()), holder.token());
	}

	private List<Holder> released(String key, Collection<ForcedRelease> releases) {
		List<KeyState> states = releases.stream()
			.map((release) -> new KeyState(key, release.before().mode(), release.released(), List.of()))
			.toList();
		return agreed(key, states, 1).holders();
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
		Poll<T> poll = this.quorum.ask((node) -> question.apply(node.view()), this::isSettled);
		if (poll.answers().size() < this.quorum.size()) {
			throw this.quorum.tooFew(poll);
		}
		return List.copyOf(poll.answers().values());
	}

	private boolean isSettled(Poll<?> poll) {
		return poll.answers().size() >= this.quorum.size() && poll.isSettled(this.quorum.nodes());
	}

	/**
	 * Return what so many nodes agree on. Something else in place of a lock is in the way
	 * of all when too few nodes are left.
	 */
	private KeyState agreed(String key, List<KeyState> states, int size) {
		List<String> problems = states.stream().map(KeyState::problem).filter(Objects::nonNull).toList();
		if (problems.size() > this.quorum.spare()) {
			return KeyState.noLock(key, problems.get(0));
		}
		Map<Hold, List<Holder>> parts = new LinkedHashMap<>();
		states.forEach((state) -> state.holders()
			.forEach((holder) -> parts.computeIfAbsent(Hold.of(state, holder), (hold) -> new ArrayList<>())
				.add(holder)));
		parts.values().removeIf((ofNodes) -> ofNodes.size() < size);
		List<Holder> holders = parts.values().stream().map((ofNodes) -> agreed(ofNodes, size)).toList();
		List<KeyState> queues = states.stream().sorted(Comparator.comparingInt(KeyState::waiterCount)).toList();
		KeyState longest = queues.isEmpty() ? KeyState.noLock(key, "") : queues.get(queues.size() - 1);
		return new KeyState(key, parts.keySet().stream().findFirst().map(Hold::mode).orElse(null), holders,
				Math.max(holders.size(), holderCount(states, size)), longest.waiters(), longest.waiterCount(), null);
	}

	/**
	 * Return how many holders there are if nodes have not told all, or else zero.
	 */
	private static int holderCount(List<KeyState> states, int size) {
		return states.stream()
			.filter((state) -> state.holderCount() > state.holders().size())
			.map(KeyState::holderCount)
			.sorted(Comparator.reverseOrder())
			.skip(size - 1L)
			.findFirst()
			.orElse(0);
	}

	/**
	 * A hold lasts as long as so many nodes say.
	 */
	private static Holder agreed(List<Holder> parts, int size) {
		Holder any = parts.get(0);
		Duration remaining = parts.stream()
			.map(Holder::remaining)
			.sorted(Comparator.reverseOrder())
			.skip(size - 1L)
			.findFirst()
			.orElseThrow();
		int count = parts.stream().mapToInt(Holder::holdCount).max().orElseThrow();
		return new Holder(any.owner(), any.kept(), count, any.token(), remaining);
	}

	private record Hold(@Nullable LockMode mode, String owner, boolean kept, long token) {

		static Hold of(KeyState state, Holder holder) {
			return new Hold(state.mode(), holder.owner(), holder.kept(), holder.token());
		}

	}

}
