package io.holdfast.faults.fault;

import java.time.Duration;
import java.util.Random;

import io.holdfast.faults.history.Promise;
import io.holdfast.faults.harness.Bench;

/**
 * Something that happens to servers or workers, and is over some time later.
 *
 * @param name what it is called
 * @param promise what locks promise in spite of it
 * @param isUnnoticed whether nobody is refused because of it: all can go on asking Redis
 * @param isFailover whether another server is to become the master
 * @param isAlone whether no other server stands in for the one that it happens to
 * @param action does it
 */
public record Fault(String name, Promise promise, boolean isUnnoticed, boolean isFailover, boolean isAlone,
		Action action) {

	/**
	 * Create a fault.
	 */
	public static Fault of(String name, Promise promise, Action action) {
		return new Fault(name, promise, false, false, false, action);
	}

	/**
	 * Return the same with another promise, for servers of which each is one of many.
	 */
	public Fault promising(Promise other) {
		return new Fault(this.name, other, this.isUnnoticed, this.isFailover, false, this.action);
	}

	/**
	 * Return the same where nobody is to be refused because of it.
	 */
	public Fault unnoticed() {
		return new Fault(this.name, this.promise, true, this.isFailover, this.isAlone, this.action);
	}

	/**
	 * Return the same where another server is to become the master.
	 */
	Fault failingOver() {
		return new Fault(this.name, this.promise, this.isUnnoticed, true, this.isAlone, this.action);
	}

	/**
	 * Return the same where no other server stands in.
	 */
	Fault alone() {
		return new Fault(this.name, this.promise, this.isUnnoticed, this.isFailover, true, this.action);
	}

	/**
	 * Return what locks promise in spite of it when it has taken so long: a server that
	 * does not come back in time for renewals may cost a lock.
	 */
	public Promise promise(Duration taken) {
		boolean isLate = this.isAlone && taken.compareTo(Bench.LEASE.dividedBy(2)) > 0;
		return isLate ? this.promise.and(Promise.LOSSES_TOLD) : this.promise;
	}

	/**
	 * Let it happen, and return when it is over.
	 * @param random what is not certain is drawn from these
	 * @return what has happened
	 */
	public String strike(Random random) throws Exception {
		return this.action.strike(random);
	}

	@Override
	public String toString() {
		return this.name;
	}

	/**
	 * Does something, and undoes it.
	 */
	@FunctionalInterface
	public interface Action {

		/**
		 * Do it.
		 * @return what has happened
		 */
		String strike(Random random) throws Exception;

	}

}
