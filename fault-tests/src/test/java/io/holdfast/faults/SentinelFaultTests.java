package io.holdfast.faults;

import java.util.List;

import io.holdfast.faults.deployment.Sentinels;
import io.holdfast.faults.fault.Fault;
import io.holdfast.faults.fault.SentinelFault;
import io.holdfast.faults.fault.ServerFaults;
import io.holdfast.faults.fault.WorkerFault;
import io.holdfast.faults.harness.Bench;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What happens to locks when another server becomes the master.
 */
@Tag("any-jdk")
class SentinelFaultTests {

	private static final Sentinels redis = new Sentinels();

	@RegisterExtension
	static final Bench bench = new Bench(redis);

	@ParameterizedTest
	@EnumSource(SentinelFault.class)
	void onlyWhatIsPromisedIsLostWhenAnotherServerBecomesTheMaster(SentinelFault how) {
		bench.endure(how.of(redis));
	}

	@Test
	void onlyGrantsAreForgottenWhenAMasterWithoutAReplicaRefusesWrites() {
		bench.endure(SentinelFault.MASTER_FROZEN.withRefusals(redis));
	}

	@Test
	void promisesAreKeptWhateverHappensTogether() {
		ServerFaults master = new ServerFaults(redis.servers()::currentMasterProcess);
		List<Fault> servers = List.of(SentinelFault.MASTER_KILLED.of(redis), master.connectionsKilled(),
				master.subscriptionsKilled(), master.scriptsFlushed(), master.outOfMemory());
		bench.endureMixed(servers, WorkerFault.all(bench::team));
	}

}
