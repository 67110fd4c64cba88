package io.holdfast.faults;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.holdfast.faults.history.Promise;
import io.holdfast.faults.deployment.SingleServer;
import io.holdfast.faults.fault.Fault;
import io.holdfast.faults.fault.WallClock;
import io.holdfast.faults.fault.WorkerFault;
import io.holdfast.faults.harness.Bench;
import io.holdfast.faults.harness.Span;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * What happens to an application, while others use the same locks.
 */
@Tag("any-jdk")
class WorkerFaultTests {

	@RegisterExtension
	static final Bench bench = new Bench(new SingleServer());

	@Test
	void othersGoOnWhenAWorkerIsKilled() {
		bench.endure(WorkerFault.KILLED.of(bench::team));
	}

	@Test
	void aWorkerThatStoodStillForLongerThanItsLeaseIsToldItsLosses() {
		bench.endureLosing(WorkerFault.FROZEN.of(bench::team));
	}

	@Test
	void nothingIsLostWhenTheClockOfAWorkerJumps(@TempDir Path directory) throws IOException {
		Optional<WallClock> clock = WallClock.find(directory);
		assumeThat(clock).as("libfaketime is not installed (Debian: faketime)").isPresent();
		bench.endureWith(List.of(), clock.orElseThrow().environment(), clock.orElseThrow()::of);
	}

	@Test
	void nothingIsLostWhenBusinessTakesAllConnections() {
		bench.endureWith(List.of("spring.data.redis.jedis.pool.max-active=2", "worker.business-threads=50"), Map.of(),
				(worker) -> Fault.of("busy time", Promise.NOTHING_LOST, (random) -> {
					Span.last(Duration.ofSeconds(3));
					return "3000 ms of what happens all the time";
				}).unnoticed());
	}

}
