package io.holdfast.faults;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.holdfast.faults.check.Promise;
import io.holdfast.faults.deployment.SingleServer;
import io.holdfast.faults.fault.BusyTime;
import io.holdfast.faults.fault.Fault;
import io.holdfast.faults.fault.ServerFaults;
import io.holdfast.faults.fault.WallClock;
import io.holdfast.faults.fault.WorkerFault;
import io.holdfast.faults.harness.Bench;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * What happens to locks on one server, and to those who have them.
 */
@Tag("any-jdk")
class SingleServerFaultTests {

	private static final SingleServer redis = new SingleServer();

	@RegisterExtension
	static final Bench bench = new Bench(redis);

	private final ServerFaults server = new ServerFaults(redis::server);

	@Test
	void othersGoOnWhenAWorkerIsKilled() {
		bench.endure(WorkerFault.KILLED.of(bench::team));
	}

	@Test
	void aWorkerThatStoodStillForLongerThanItsLeaseIsToldItsLosses() {
		bench.endureLosing(WorkerFault.FROZEN.of(bench::team));
	}

	@Test
	void nothingIsLostWhenTheServerIsFrozenShortly() {
		bench.endure(this.server.frozenShortly());
	}

	@Test
	void lossesAreToldWhenTheServerIsFrozenForLongerThanTheLease() {
		bench.endureLosing(this.server.frozenForLong());
	}

	@Test
	void lossesAreToldWhenTheServerRestartsEmpty() {
		bench.endureLosing(this.server.restartedEmpty());
	}

	@Test
	void nothingIsLostWhenTheServerRestartsWithItsFile() {
		bench.endure(this.server.restartedWithFile());
	}

	@Test
	void nothingIsLostWhenConnectionsAreKilled() {
		bench.endure(this.server.connectionsKilled());
	}

	@Test
	void nothingIsLostWhenSubscriptionsAreKilled() {
		bench.endure(this.server.subscriptionsKilled());
	}

	@Test
	void nothingIsLostWhenScriptsAreFlushed() {
		bench.endure(this.server.scriptsFlushed());
	}

	@Test
	void nothingIsLostWhenClientsArePaused() {
		bench.endure(this.server.clientsPaused("ALL"), this.server.clientsPaused("WRITE"));
	}

	@Test
	void nothingIsLostWhenACommandTakesLong() {
		bench.endure(this.server.asleep());
	}

	@Test
	void nothingIsLostWhenTheServerIsOutOfMemory() {
		bench.endure(this.server.outOfMemory());
	}

	@Test
	void nothingIsLostWhenTheServerIsReadOnly() {
		bench.endure(this.server.readOnly());
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
				(worker) -> new BusyTime(Promise.NOTHING_LOST, Duration.ofSeconds(3)));
	}

	@Test
	void promisesAreKeptWhateverHappensTogether() {
		List<Fault> servers = List.of(this.server.frozenShortly(), this.server.frozenForLong(),
				this.server.restartedEmpty(), this.server.restartedWithFile(), this.server.connectionsKilled(),
				this.server.subscriptionsKilled(), this.server.scriptsFlushed(), this.server.clientsPaused("ALL"),
				this.server.clientsPaused("WRITE"), this.server.asleep(), this.server.outOfMemory(),
				this.server.readOnly());
		bench.endureMixed(servers, WorkerFault.all(bench::team));
	}

}
