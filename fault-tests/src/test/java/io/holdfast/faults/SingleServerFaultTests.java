package io.holdfast.faults;

import io.holdfast.faults.deployment.SingleServer;
import io.holdfast.faults.fault.ServerFaults;
import io.holdfast.faults.fault.WorkerFault;
import io.holdfast.faults.harness.Bench;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

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
		bench.endure(WorkerFault.FROZEN.of(bench::team));
	}

	@Test
	void nothingIsLostWhenTheServerIsFrozenShortly() {
		bench.endure(this.server.frozenShortly());
	}

	@Test
	void lossesAreToldWhenTheServerIsFrozenForLongerThanTheLease() {
		bench.endure(this.server.frozenForLong());
	}

	@Test
	void lossesAreToldWhenTheServerRestartsEmpty() {
		bench.endure(this.server.restartedEmpty());
	}

	@Test
	void nothingIsLostWhenTheServerRestartsWithItsFile() {
		bench.endure(this.server.restartedWithFile());
	}

	@Test
	void nothingIsLostWhenConnectionsAreKilled() {
		bench.endure(this.server.connectionsKilled("normal"));
	}

	@Test
	void nothingIsLostWhenSubscriptionsAreKilled() {
		bench.endure(this.server.connectionsKilled("pubsub"));
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

}
