package io.holdfast.faults;

import java.util.List;

import io.holdfast.faults.deployment.SingleServer;
import io.holdfast.faults.fault.Fault;
import io.holdfast.faults.fault.ServerFaults;
import io.holdfast.faults.fault.WorkerFault;
import io.holdfast.faults.harness.Bench;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What happens to one server, while applications use locks on it.
 */
@Tag("any-jdk")
class SingleServerFaultTests {

	private static final SingleServer redis = new SingleServer();

	@RegisterExtension
	static final Bench bench = new Bench(redis);

	private final ServerFaults server = new ServerFaults(redis::server);

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
	void promisesAreKeptWhateverHappensTogether() {
		List<Fault> servers = List.of(this.server.frozenShortly(), this.server.frozenForLong(),
				this.server.restartedEmpty(), this.server.restartedWithFile(), this.server.connectionsKilled(),
				this.server.subscriptionsKilled(), this.server.scriptsFlushed(), this.server.clientsPaused("ALL"),
				this.server.clientsPaused("WRITE"), this.server.asleep(), this.server.outOfMemory(),
				this.server.readOnly());
		bench.endureMixed(servers, WorkerFault.all(bench::team));
	}

}
