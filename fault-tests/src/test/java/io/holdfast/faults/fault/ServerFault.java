package io.holdfast.faults.fault;

import java.time.Duration;
import java.util.Random;
import java.util.function.Supplier;

import io.holdfast.faults.check.Promise;
import io.holdfast.faults.harness.Bench;
import io.holdfast.test.RedisProcess;

/**
 * What happens to one server.
 *
 * @param name what it is called
 * @param promise what is promised in spite of it
 * @param isUnnoticed whether nobody is refused because of it
 * @param isAlone whether no other server stands in for it
 * @param server the server, whichever it is then
 * @param action does it
 */
public record ServerFault(String name, Promise promise, boolean isUnnoticed, boolean isAlone,
		Supplier<RedisProcess> server, Action action) implements Fault {

	/**
	 * Return the same with another promise, for servers of which each is one of many.
	 */
	public ServerFault promising(Promise other) {
		return new ServerFault(this.name, other, this.isUnnoticed, false, this.server, this.action);
	}

	/**
	 * Return the same where nobody is to be refused because of it.
	 */
	public ServerFault unnoticed() {
		return new ServerFault(this.name, this.promise, true, this.isAlone, this.server, this.action);
	}

	/**
	 * A server that does not come back in time for renewals may cost a lock.
	 */
	@Override
	public Promise promise(Duration taken) {
		boolean isLate = this.isAlone && taken.compareTo(Bench.LEASE.dividedBy(2)) > 0;
		return isLate ? this.promise.and(Promise.LOSSES_TOLD) : this.promise;
	}

	@Override
	public String strike(Random random) throws Exception {
		RedisProcess target = this.server.get();
		return "%s (port %d)".formatted(this.action.on(target, random), target.port());
	}

	@Override
	public String toString() {
		return this.name;
	}

	/**
	 * Does something to a server, and undoes it.
	 */
	@FunctionalInterface
	public interface Action {

		/**
		 * Do it.
		 * @return what was done
		 */
		String on(RedisProcess server, Random random) throws Exception;

	}

}
