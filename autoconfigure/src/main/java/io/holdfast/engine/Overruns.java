package io.holdfast.engine;

import java.time.Duration;

import io.holdfast.LogText;
import io.holdfast.engine.runtime.Background;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of locks that are held, and of callers that wait, for longer than is usual.
 */
final class Overruns {

	private static final Logger logger = LoggerFactory.getLogger(Overruns.class);

	private final Waits waits;

	private final @Nullable Overtime<Hold> longHolds;

	private final @Nullable Overtime<Acquisition> longWaits;

	Overruns(EngineSettings.Warnings warnings, Waits waits, Background background) {
		this.waits = waits;
		this.longHolds = overtime("holdfast-long-holds", warnings.hold(), background, this::warn);
		this.longWaits = overtime("holdfast-long-waits", warnings.waiting(), background, Overruns::warn);
	}

	private static <T> @Nullable Overtime<T> overtime(String name, @Nullable Duration limit, Background background,
			Overtime.Warning<T> warning) {
		return (limit != null) ? new Overtime<>(name, limit, background, warning) : null;
	}

	void began(Hold hold) {
		if (this.longHolds != null) {
			this.longHolds.began(hold);
		}
	}

	void ended(Hold hold) {
		if (this.longHolds != null) {
			this.longHolds.ended(hold);
		}
	}

	void began(Acquisition acquisition) {
		if (this.longWaits != null) {
			this.longWaits.began(acquisition);
		}
	}

	void ended(Acquisition acquisition) {
		if (this.longWaits != null) {
			this.longWaits.ended(acquisition);
		}
	}

	void stop() {
		if (this.longHolds != null) {
			this.longHolds.stop();
		}
		if (this.longWaits != null) {
			this.longWaits.stop();
		}
	}

	private void warn(Hold hold, Duration held, boolean ended) {
		long waiting = this.waits.count(hold.terms().keys());
		logger.atWarn()
			.addKeyValue("key", hold.terms().text())
			.addKeyValue("owner", hold.owner().id())
			.addKeyValue("thread", hold.owner().threadName())
			.addKeyValue("heldMs", held.toMillis())
			.addKeyValue("waiting", waiting)
			.log("Long hold of lock '{}' by {} ({}): {} ms {}, {} waiting for it in this instance",
					LogText.of(hold.terms().text()), hold.owner().id(), LogText.of(hold.owner().threadName()),
					held.toMillis(), extent(ended), waiting);
	}

	private static void warn(Acquisition acquisition, Duration waited, boolean ended) {
		LockWait wait = acquisition.snapshot();
		String key = LogText.keys(wait.keys());
		String holder = (wait.holder() == null || wait.holder().equals(wait.owner())) ? "unknown" : wait.holder();
		logger.atWarn()
			.addKeyValue("key", key)
			.addKeyValue("owner", wait.owner())
			.addKeyValue("thread", wait.threadName())
			.addKeyValue("waitedMs", waited.toMillis())
			.addKeyValue("holder", holder)
			.log("Long wait for lock '{}' by {} ({}): {} ms {}, holder last seen: {}", LogText.of(key), wait.owner(),
					LogText.of(wait.threadName()), waited.toMillis(), extent(ended), LogText.of(holder));
	}

	private static String extent(boolean ended) {
		return ended ? "in all" : "so far";
	}

}
