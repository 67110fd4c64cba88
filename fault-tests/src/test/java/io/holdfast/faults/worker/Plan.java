package io.holdfast.faults.worker;

import java.time.Duration;
import java.util.Random;

import io.holdfast.LockRequest;

/**
 * What to do in one attempt.
 *
 * @param request what to ask for
 * @param way how to ask
 * @param work how long to stay
 * @param restAfter how long to rest afterwards
 */
public record Plan(LockRequest request, Way way, Duration work, Duration restAfter) {

	/**
	 * The key that at most {@link #PERMITS} hold at a time.
	 */
	public static final String LIMITED = "limited";

	public static final int PERMITS = 2;

	enum Way {

		/** Code that is run under it. */
		EXECUTE,
		/** A handle, which the thread releases. */
		ACQUIRE,
		/** Code that is run under it, on another thread. */
		EXECUTE_ASYNC

	}

	/**
	 * Makes plans at random: for sections that are short, under two keys or both, or for
	 * which leases have to be renewed, under one of two other keys.
	 */
	static final class Maker {

		private static final Duration PATIENCE = Duration.ofSeconds(2);

		private final Random random;

		private final Duration lease;

		private final boolean permits;

		private int longPlans;

		Maker(Random random, Duration lease, boolean permits) {
			this.random = random;
			this.lease = lease;
			this.permits = permits;
		}

		/**
		 * Plan a section for which leases have to be renewed, now under one key and then
		 * under the other.
		 */
		Plan nextLong() {
			return plan(LockRequest.of("long-" + (1 + this.longPlans++ % 2)),
					millis(this.lease.toMillis() / 3, this.lease.toMillis() * 3 / 2));
		}

		Plan nextShort() {
			LockRequest limited = this.permits ? LockRequest.of(LIMITED).permits(PERMITS)
					: LockRequest.of("warm").shared();
			return switch (this.random.nextInt(10)) {
				case 0 -> plan(LockRequest.of("hot", "warm"), millis(0, 5));
				case 1, 2, 3 -> plan(LockRequest.of("hot"), millis(0, 5));
				case 4 -> plan(LockRequest.of("warm"), millis(10, 50));
				case 5 -> plan(LockRequest.of("warm").shared(), millis(10, 50));
				case 6 -> plan(LockRequest.of("warm").shared(), millis(0, 5));
				case 7, 8 -> plan(limited, millis(0, 20));
				default -> plan(LockRequest.of("warm"), millis(0, 5));
			};
		}

		private Plan plan(LockRequest request, Duration work) {
			LockRequest patient = request.waitFor(patience());
			LockRequest fair = (isOneOf(6) && patient.keys().size() == 1) ? patient.fair() : patient;
			LockRequest owned = isOneOf(3) ? fair.ownedByHandle() : fair;
			Way way = switch (this.random.nextInt(5)) {
				case 0 -> Way.EXECUTE;
				case 1 -> Way.EXECUTE_ASYNC;
				default -> Way.ACQUIRE;
			};
			return new Plan(owned, way, work, millis(0, 20));
		}

		private Duration patience() {
			return switch (this.random.nextInt(5)) {
				case 0 -> Duration.ZERO;
				case 1 -> millis(1, 50);
				default -> PATIENCE;
			};
		}

		private boolean isOneOf(int number) {
			return this.random.nextInt(number) == 0;
		}

		private Duration millis(long from, long to) {
			return Duration.ofMillis(from + this.random.nextInt((int) (to - from + 1)));
		}

	}

}
