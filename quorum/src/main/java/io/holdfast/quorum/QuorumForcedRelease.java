package io.holdfast.quorum;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.holdfast.LogText;
import io.holdfast.engine.StoreView.ForcedRelease;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.engine.StoreView.KeyState;
import io.holdfast.redis.LockImage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

final class QuorumForcedRelease {

	private static final Logger logger = LoggerFactory.getLogger(QuorumForcedRelease.class);

	private final Quorum quorum;

	private final Agreement anyNode;

	private final String key;

	QuorumForcedRelease(Quorum quorum, String key) {
		this.quorum = quorum;
		this.anyNode = new Agreement(1, quorum.spare());
		this.key = key;
	}

	// Read the nodes, then ask them to release what was seen: not the hold of a caller
	// that gets the lock as soon as the first of them have released it
	ForcedRelease run(@Nullable Long token, long end) {
		List<LockImage> images = this.quorum.survey((node) -> node.view().image(this.key));
		long last = images.stream().mapToLong(LockImage::lastToken).max().orElse(0);
		return release(this.anyNode.stateOf(this.key, images.stream().map(LockImage::state).toList()), token, last,
				end);
	}

	private ForcedRelease release(KeyState before, @Nullable Long token, long last, long end) {
		CompletableFuture<List<Holder>> answer = new CompletableFuture<>();
		Poll<ForcedRelease> poll = this.quorum.ask((node) -> node.view().forceRelease(this.key, token, last, end),
				this.quorum::isSettled, (node, late) -> answer.thenAccept((known) -> warnOfLate(late, known)));
		List<Holder> released = released(poll.answers().values());
		try {
			if (poll.answers().size() < this.quorum.size()) {
				released.forEach(this::warn);
				throw this.quorum.tooFew(poll);
			}
		}
		finally {
			answer.complete(released);
		}
		return new ForcedRelease(before, released);
	}

	// Log what a node has released after the answer was given, except what is known
	private void warnOfLate(@Nullable ForcedRelease late, List<Holder> known) {
		if (late != null) {
			late.released()
				.stream()
				.filter((holder) -> known.stream().noneMatch((other) -> other.token() == holder.token()))
				.forEach(this::warn);
		}
	}

	// Log what was done at nodes that are too few, or too late, for the answer
	private void warn(Holder holder) {
		logger.atWarn()
			.addKeyValue("key", this.key)
			.addKeyValue("owner", holder.owner())
			.addKeyValue("token", holder.token())
			.log("Lock '{}' of {} was released by force at some nodes only: token {}; it may still be held",
					LogText.of(this.key), LogText.of(holder.owner()), holder.token());
	}

	private List<Holder> released(Collection<ForcedRelease> releases) {
		List<KeyState> states = releases.stream()
			.map((release) -> new KeyState(this.key, release.before().mode(), 0, release.released(),
					release.released().size(), List.of(), 0, null))
			.toList();
		return this.anyNode.stateOf(this.key, states).holders();
	}

}
