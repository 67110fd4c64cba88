package io.holdfast;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;

/**
 * Keeps users' code that is broken, and throws at every lock, from flooding the log: its
 * first failure is told, and from then on how many there were, once a minute at most.
 *
 * @since 0.1.0
 */
public final class FailureDigest {

	private static final long INTERVAL = Duration.ofMinutes(1).toNanos();

	private final Consumer<Throwable> first;

	private final Consumer<Throwable> again;

	private final ObjLongConsumer<Throwable> more;

	private final LongSupplier nanos;

	private boolean told;

	private long toldAt;

	private long untold;

	/**
	 * Create a digest.
	 * @param first is told of the first failure
	 * @param again is told of each later one
	 * @param more is told of one, and how many there were since the last was told, itself
	 * included
	 * @param nanos the clock, in nanoseconds
	 */
	public FailureDigest(Consumer<Throwable> first, Consumer<Throwable> again, ObjLongConsumer<Throwable> more,
			LongSupplier nanos) {
		this.first = first;
		this.again = again;
		this.more = more;
		this.nanos = nanos;
	}

	/**
	 * Note a failure.
	 * @param failure what was thrown
	 */
	public synchronized void note(Throwable failure) {
		long now = this.nanos.getAsLong();
		if (!this.told) {
			this.first.accept(failure);
			restart(now);
			return;
		}
		this.untold++;
		this.again.accept(failure);
		if (now - this.toldAt >= INTERVAL) {
			this.more.accept(failure, this.untold);
			restart(now);
		}
	}

	private void restart(long now) {
		this.told = true;
		this.toldAt = now;
		this.untold = 0;
	}

}
