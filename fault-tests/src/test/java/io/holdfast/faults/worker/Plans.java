package io.holdfast.faults.worker;

import java.time.Duration;
import java.util.Random;

import io.holdfast.LockRequest;

/**
 * Makes plans at random: for sections that are short, under two keys or both, or for
 * which leases have to be renewed, under one of two other keys.
 */
public final class Plans {

	/**
	 * The key that at most {@link #PERMITS} hold at a time.
	 */
	public static final String LIMITED = "limited";

	public static final int PERMITS = 2;

	private static final Duration PATIENCE = Duration.ofSeconds(2);

	private final Random random;

	private final Duration lease;

	private final boolean oneRedis;

	private int longPlans;

	/**
	 * Create plans.
	 * @param oneRedis whether one of the keys stays with the instance that has released
	 * it, and another has permits
	 */
	Plans(Random random, Duration lease, boolean oneRedis) {
		this.random = random;
		this.lease = lease;
		this.oneRedis = oneRedis;
	}

	/**
	 * Plan a section for which leases have to be renewed, now under one key and then
	 * under the other.
	 */
	Plan nextLong() {
		return plan(LockRequest.of("long-" + (1 + this.longPlans++ % 2)),
				millis(this.lease.toMillis() / 3, this.lease.toMillis() * 3 / 2));
	}

	/**
	 * Plan a short section.
	 */
	Plan nextShort() {
		return switch (this.random.nextInt(10)) {
			case 0 -> plan(LockRequest.of("hot", "warm"), millis(0, 5));
			case 1, 2, 3 -> plan(LockRequest.of("hot"), millis(0, 5));
			case 4 -> plan(LockRequest.of("warm"), millis(10, 50));
			case 5 -> plan(LockRequest.of("warm").shared(), millis(10, 50));
			case 6 -> plan(LockRequest.of("warm").shared(), millis(0, 5));
			case 7, 8 -> plan(limited(), millis(0, 20));
			default -> plan(LockRequest.of("warm"), millis(0, 5));
		};
	}

	private LockRequest limited() {
		return this.oneRedis ? LockRequest.of(LIMITED).permits(PERMITS) : LockRequest.of("warm").shared();
	}

	private Plan plan(LockRequest request, Duration work) {
		LockRequest patient = request.waitFor(patience());
		LockRequest fair = (isOneOf(6) && patient.keys().size() == 1) ? patient.fair() : patient;
		LockRequest owned = isOneOf(3) ? fair.ownedByHandle() : fair;
		return new Plan(owned, way(), work, millis(0, 20));
	}

	private Plan.Way way() {
		return switch (this.random.nextInt(5)) {
			case 0 -> Plan.Way.EXECUTE;
			case 1 -> Plan.Way.EXECUTE_ASYNC;
			default -> Plan.Way.ACQUIRE;
		};
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
