package io.holdfast.diagnostics;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.holdfast.LockSnapshot;
import io.holdfast.LogText;
import io.holdfast.engine.Background;
import io.holdfast.engine.EngineListener;
import io.holdfast.engine.EngineListener.LockWait;
import io.holdfast.engine.EngineRuntime;
import io.holdfast.engine.LockOperations;
import io.holdfast.engine.MonotonicClock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns in the log of locks that are held and callers that wait for longer than is usual,
 * and of renewals that fail.
 *
 * @since 0.1.0
 */
public final class LockDiagnostics implements EngineListener {

	private static final Logger logger = LoggerFactory.getLogger(LockDiagnostics.class);

	private static final String UNKNOWN = "unknown";

	private final Background background = new Background(EngineRuntime.of(MonotonicClock.SYSTEM),
			"holdfast-diagnostics");

	private final OverdueCheck<HeldLock> longHolds;

	private final OverdueCheck<Waiter> longWaits;

	private final RenewalTrouble renewals;

	private volatile @Nullable LockOperations operations;

	/**
	 * Create diagnostics.
	 * @param warnHold how long a lock may be held without a warning, or {@code null} for
	 * no limit
	 * @param warnWait how long a caller may wait without a warning, or {@code null} for
	 * no limit
	 */
	public LockDiagnostics(@Nullable Duration warnHold, @Nullable Duration warnWait) {
		this.longHolds = new OverdueCheck<>(warnHold, this.background, this::warn);
		this.longWaits = new OverdueCheck<>(warnWait, this.background, this::warn);
		this.renewals = new RenewalTrouble(MonotonicClock.SYSTEM);
	}

	/**
	 * Set the engine that is observed. Before that, warnings do not count its locks.
	 * @param operations the engine, as operators see it
	 */
	public void observe(LockOperations operations) {
		this.operations = operations;
	}

	@Override
	public void stopped() {
		this.longHolds.stop();
		this.longWaits.stop();
		this.background.stop();
	}

	@Override
	public void asked(Waiter waiter) {
		this.longWaits.began(waiter);
	}

	@Override
	public void answered(Waiter waiter) {
		this.longWaits.ended(waiter);
	}

	@Override
	public void held(HeldLock lock) {
		this.longHolds.began(lock);
	}

	@Override
	public void ended(HeldLock lock) {
		this.longHolds.ended(lock);
		this.renewals.ended(lock);
	}

	@Override
	public void renewalFailed(List<? extends HeldLock> locks, long renewals, Throwable failure) {
		LockOperations present = this.operations;
		this.renewals.failed(locks, (present != null) ? present.heldCount() : locks.size(), failure);
	}

	@Override
	public void renewalAnswered(List<? extends HeldLock> locks, long renewals) {
		this.renewals.answered(locks);
	}

	private void warn(HeldLock held, Duration elapsed, boolean ended) {
		LockSnapshot lock = held.snapshot();
		LockOperations present = this.operations;
		long waiting = (present != null) ? present.waitingCount(lock.keys()) : 0;
		String key = LogText.keys(lock.keys());
		logger.atWarn()
			.addKeyValue("key", key)
			.addKeyValue("owner", lock.owner())
			.addKeyValue("thread", lock.threadName())
			.addKeyValue("heldMs", elapsed.toMillis())
			.addKeyValue("waiting", waiting)
			.log("Long hold of lock '{}' by {} ({}): {} ms {}, {} waiting for it in this instance", LogText.of(key),
					who(lock.threadName(), lock.owner()), lock.owner(), elapsed.toMillis(), extent(ended), waiting);
	}

	private void warn(Waiter waiter, Duration elapsed, boolean ended) {
		LockWait wait = waiter.snapshot();
		String key = LogText.keys(wait.keys());
		logger.atWarn()
			.addKeyValue("key", key)
			.addKeyValue("owner", wait.owner())
			.addKeyValue("thread", wait.threadName())
			.addKeyValue("waitedMs", elapsed.toMillis())
			.addKeyValue("holder", Objects.requireNonNullElse(wait.holder(), UNKNOWN))
			.log("Long wait for lock '{}' by {} ({}): {} ms {}, holder last seen: {}", LogText.of(key),
					who(wait.threadName(), wait.owner()), wait.owner(), elapsed.toMillis(), extent(ended),
					LogText.of(Objects.requireNonNullElse(wait.holderName(), UNKNOWN)));
	}

	private static String who(String threadName, String owner) {
		String prefix = owner.contains(":handle-") ? "a handle of " : "";
		return LogText.of("%sthread '%s'".formatted(prefix, threadName));
	}

	private static String extent(boolean ended) {
		return ended ? "in all" : "so far";
	}

}
