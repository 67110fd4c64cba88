package io.holdfast.faults.worker;

import java.time.Duration;

import org.springframework.core.env.Environment;

/**
 * What a worker does.
 *
 * @param threads how many threads work
 * @param lease how long leases are
 * @param ledgerPort where the ledger is
 * @param retains whether an instance may retain a lock, which independent masters rule
 * out
 */
record WorkerSettings(int threads, Duration lease, int ledgerPort, boolean retains) {

	static WorkerSettings of(Environment environment) {
		return new WorkerSettings(environment.getRequiredProperty("worker.threads", int.class),
				Duration.ofMillis(environment.getRequiredProperty("worker.lease-millis", long.class)),
				environment.getRequiredProperty("worker.ledger-port", int.class),
				!environment.containsProperty("holdfast.redis.nodes"));
	}

}
