package io.holdfast.faults;

import java.util.List;

import io.holdfast.faults.deployment.Cluster;
import io.holdfast.faults.fault.ClusterFault;
import io.holdfast.faults.fault.Fault;
import io.holdfast.faults.fault.ServerFaults;
import io.holdfast.faults.fault.WorkerFault;
import io.holdfast.faults.harness.Bench;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What happens to locks in a Cluster when slots change their master.
 */
@Tag("any-jdk")
class RedisClusterFaultTests {

	private static final Cluster cluster = new Cluster();

	@RegisterExtension
	static final Bench bench = new Bench(cluster);

	private final List<String> locks = List.of("long-1", "long-2");

	@Test
	void lossesAreToldWhenAMasterIsKilled() {
		bench.endure(ClusterFault.MASTER_KILLED.of(cluster, this.locks));
	}

	@Test
	void lossesAreToldWhenAReplicaTakesOver() {
		bench.endure(ClusterFault.FAILOVER_ASKED_FOR.of(cluster, this.locks));
	}

	@Test
	void nothingIsLostWhenASlotMoves() {
		bench.endure(ClusterFault.SLOT_MOVED.of(cluster, this.locks));
	}

	@Test
	void nothingIsLostWhenTheSlotOfABusyLockMoves() {
		bench.endure(ClusterFault.SLOT_MOVED.of(cluster, List.of("hot", "warm")));
	}

	@Test
	void promisesAreKeptWhateverHappensTogether() {
		ServerFaults master = new ServerFaults(() -> cluster.masterOf("hot"));
		List<Fault> servers = List.of(ClusterFault.MASTER_KILLED.of(cluster, this.locks),
				ClusterFault.FAILOVER_ASKED_FOR.of(cluster, this.locks),
				ClusterFault.SLOT_MOVED.of(cluster, this.locks), master.frozenShortly(), master.connectionsKilled(),
				master.scriptsFlushed(), master.clientsPaused("ALL"));
		bench.endureMixed(servers, WorkerFault.all(bench::team));
	}

}
