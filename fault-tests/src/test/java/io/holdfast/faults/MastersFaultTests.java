package io.holdfast.faults;

import java.util.List;

import io.holdfast.faults.history.Promise;
import io.holdfast.faults.deployment.Masters;
import io.holdfast.faults.fault.Fault;
import io.holdfast.faults.fault.ServerFaults;
import io.holdfast.faults.fault.WorkerFault;
import io.holdfast.faults.harness.Bench;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What happens to locks on independent masters when something happens to some of these.
 */
@Tag("any-jdk")
class MastersFaultTests {

	private static final Masters redis = new Masters();

	@RegisterExtension
	static final Bench bench = new Bench(redis);

	private final ServerFaults first = new ServerFaults(() -> redis.server(0));

	private final ServerFaults second = new ServerFaults(() -> redis.server(1));

	@Test
	void nothingIsLostWhenAServerIsFrozen() {
		bench.endure(this.first.frozenForLong().promising(Promise.NOTHING_LOST).unnoticed());
	}

	@Test
	void nothingIsLostWhenAServerRestartsEmpty() {
		bench.endure(this.first.restartedEmpty().promising(Promise.NOTHING_LOST));
	}

	/**
	 * Then each of the other three has to answer in time: a single try is refused when
	 * one of them is slow.
	 */
	@Test
	void nothingIsLostWhenTwoServersAreDisturbed() {
		bench.endureTogether(this.first.frozenForLong().promising(Promise.NOTHING_LOST),
				this.second.restartedWithFile());
	}

	@Test
	void nothingIsLostWhenServersForgetScriptsAndConnections() {
		bench.endureTogether(this.first.scriptsFlushed(), this.second.connectionsKilled().unnoticed());
	}

	@Test
	void othersGoOnWhenAWorkerIsKilled() {
		bench.endure(WorkerFault.KILLED.of(bench::team));
	}

	@Test
	void aWorkerThatStoodStillForLongerThanItsLeaseIsToldItsLosses() {
		bench.endureLosing(WorkerFault.FROZEN.of(bench::team));
	}

	@Test
	void promisesAreKeptWhateverHappensTogether() {
		List<Fault> servers = List.of(this.first.frozenForLong(), this.second.frozenShortly(),
				this.first.restartedEmpty(), this.second.restartedWithFile(), this.first.connectionsKilled(),
				this.second.scriptsFlushed(), this.first.clientsPaused("WRITE"), this.second.outOfMemory(),
				this.first.readOnly());
		bench.endureMixed(servers, WorkerFault.all(bench::team));
	}

}
