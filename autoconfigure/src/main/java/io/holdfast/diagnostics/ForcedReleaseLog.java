package io.holdfast.diagnostics;

import java.util.List;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;

import io.holdfast.LockMode;
import io.holdfast.LogText;
import io.holdfast.engine.store.StoreView.ForcedRelease;
import io.holdfast.engine.store.StoreView.Holder;
import io.holdfast.engine.store.StoreView.KeyState;
import io.holdfast.engine.store.UnfinishedReleaseException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs which locks operators released by force.
 */
final class ForcedReleaseLog {

	private static final Logger logger = LoggerFactory.getLogger(ForcedReleaseLog.class);

	/**
	 * How many holders of a shared lock get a line of their own.
	 */
	private static final int MOST_LINES = 100;

	/**
	 * How many possible losers of a lock are named.
	 */
	private static final int MOST_NAMES = 5;

	private ForcedReleaseLog() {
	}

	/**
	 * Log what was released.
	 * @param names returns who the owner of a key is
	 */
	static void log(ForcedRelease release, BinaryOperator<String> names) {
		String key = release.before().key();
		List<Holder> released = release.released();
		released.stream().limit(MOST_LINES).forEach((holder) -> tell(release.before(), holder, names));
		if (released.size() > MOST_LINES) {
			logger.atWarn()
				.addKeyValue("key", key)
				.log("Lock '{}' was released by force: {} more shared it", LogText.of(key),
						released.size() - MOST_LINES);
		}
	}

	static void logUncertain(UnfinishedReleaseException failure, @Nullable Long token, BinaryOperator<String> names) {
		KeyState before = failure.release().before();
		List<Holder> released = failure.release().released();
		List<String> owners = before.holders()
			.stream()
			.filter((holder) -> token == null || token == holder.token())
			.filter((holder) -> released.stream().noneMatch((known) -> known.token() == holder.token()))
			.limit(MOST_NAMES)
			.map(Holder::owner)
			.toList();
		logger.atWarn()
			.addKeyValue("key", before.key())
			.addKeyValue("owner", String.join(", ", owners))
			.addKeyValue("token", token)
			.log("Lock '{}' of {} may have been released by force: {}", LogText.of(before.key()),
					owners.isEmpty() ? "an unknown holder"
							: LogText.of(owners.stream()
								.map((owner) -> names.apply(owner, before.key()))
								.collect(Collectors.joining(", "))),
					failure.getMessage());
	}

	private static void tell(KeyState before, Holder holder, BinaryOperator<String> names) {
		logger.atWarn()
			.addKeyValue("key", before.key())
			.addKeyValue("owner", holder.owner())
			.addKeyValue("token", holder.token())
			.log("Lock '{}' of {} was released by force: {} lock, {}; token {}, hold count {}, {} ms of its lease left",
					LogText.of(before.key()), LogText.of(names.apply(holder.owner(), before.key())),
					(before.mode() == LockMode.SHARED) ? "shared" : "exclusive",
					holder.kept() ? "kept by minHold" : "in use", holder.token(), holder.holdCount(),
					holder.remaining().toMillis());
	}

}
