package io.holdfast.faults.fault;

import java.time.Duration;
import java.util.Random;

import io.holdfast.faults.check.Promise;

/**
 * Something that happens to servers or workers, and is over some time later.
 */
public interface Fault {

	/**
	 * Return what locks promise in spite of it.
	 */
	Promise promise();

	/**
	 * Return what locks promise in spite of it when it has taken so long, on a machine
	 * that is busy.
	 */
	default Promise promise(Duration taken) {
		return promise();
	}

	/**
	 * Return whether another server is to become the master.
	 */
	default boolean isFailover() {
		return false;
	}

	/**
	 * Return whether nobody is refused because of it: all can go on asking Redis.
	 */
	default boolean isUnnoticed() {
		return false;
	}

	/**
	 * Let it happen, and return when it is over.
	 * @param random what is not certain is drawn from these
	 * @return what has happened
	 */
	String strike(Random random) throws Exception;

}
