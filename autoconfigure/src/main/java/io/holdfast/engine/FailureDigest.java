package io.holdfast.engine;

import java.time.Duration;

import io.holdfast.LogText;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * Keeps user code that throws at every lock from flooding the log: the first failure is
 * logged with its stack trace, then only the number of failures, at most once a minute.
 * Each further failure is logged at debug level.
 */
final class FailureDigest {

	private static final long INTERVAL = Duration.ofMinutes(1).toNanos();

	private final Logger logger;

	private final Level level;

	private final String one;

	private final String more;

	private boolean told;

	private long toldAt;

	private long untold;

	// The last text is formatted with the number of failures since the previous message,
	// and the last of them
	FailureDigest(Logger logger, Level level, String one, String more) {
		this.logger = logger;
		this.level = level;
		this.one = one;
		this.more = more;
	}

	synchronized void note(Throwable failure) {
		long now = System.nanoTime();
		if (!this.told) {
			this.logger.atLevel(this.level).setCause(failure).log(this.one);
			restart(now);
			return;
		}
		this.untold++;
		this.logger.debug("{} again", this.one, failure);
		if (now - this.toldAt >= INTERVAL) {
			this.logger.atLevel(this.level).log(this.more, this.untold, LogText.of(failure));
			restart(now);
		}
	}

	private void restart(long now) {
		this.told = true;
		this.toldAt = now;
		this.untold = 0;
	}

}
