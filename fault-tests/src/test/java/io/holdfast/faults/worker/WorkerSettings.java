package io.holdfast.faults.worker;

import java.time.Duration;

import org.springframework.core.env.Environment;

/**
 * What a worker does.
 *
 * @param threads how many threads work
 * @param lease how long leases are
 * @param ledgerPort where the ledger is
 * @param independentMasters whether locks are on independent masters, none of which knows
 * of a lock that it has not granted itself
 */
record WorkerSettings(int threads, Duration lease, int ledgerPort, boolean independentMasters) {

	static WorkerSettings of(Environment environment) {
		return new WorkerSettings(environment.getRequiredProperty("worker.threads", int.class),
				Duration.ofMillis(environment.getRequiredProperty("worker.lease-millis", long.class)),
				environment.getRequiredProperty("worker.ledger-port", int.class),
				environment.containsProperty("holdfast.redis.nodes"));
	}

}
