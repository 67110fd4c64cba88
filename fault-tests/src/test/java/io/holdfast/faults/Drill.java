package io.holdfast.faults;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.holdfast.faults.history.Promise;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Each fault of docs/reliability.md: in which deployments, by the tests that have one,
 * how it happens, and what must hold in spite of it, for workers with Jedis and with
 * Lettuce. Unless a promise is named, it is that of the fault.
 */
enum Drill {

	WORKER_KILLED(in(WorkerFaultTests.class, MastersFaultTests.class), How.ONCE, Fault.WORKER_KILLED),

	WORKER_FROZEN(in(WorkerFaultTests.class, MastersFaultTests.class), How.UNTIL_LOST, Fault.WORKER_FROZEN),

	/** Nobody notices. Skipped without libfaketime. */
	CLOCK_JUMPS(in(WorkerFaultTests.class), How.WITH_ANOTHER_WORKER, Fault.CLOCK_JUMPS),

	/** Nobody notices. */
	BUSINESS_TAKES_ALL_CONNECTIONS(in(WorkerFaultTests.class), How.WITH_ANOTHER_WORKER, Fault.NONE),

	FROZEN_SHORTLY(in(SingleServerFaultTests.class), How.ONCE, Fault.FROZEN_SHORTLY),

	FROZEN_FOR_LONG(in(SingleServerFaultTests.class), How.UNTIL_LOST, Fault.FROZEN_FOR_LONG),

	RESTARTED_EMPTY(in(SingleServerFaultTests.class), How.UNTIL_LOST, Fault.RESTARTED_EMPTY),

	RESTARTED_WITH_FILE(in(SingleServerFaultTests.class), How.ONCE, Fault.RESTARTED_WITH_FILE),

	CONNECTIONS_KILLED(in(SingleServerFaultTests.class), How.ONCE, Fault.CONNECTIONS_KILLED),

	SUBSCRIPTIONS_KILLED(in(SingleServerFaultTests.class), How.ONCE, Fault.SUBSCRIPTIONS_KILLED),

	/** Nobody notices. */
	SCRIPTS_FLUSHED(in(SingleServerFaultTests.class), How.UNNOTICED, Fault.SCRIPTS_FLUSHED),

	CLIENTS_PAUSED(in(SingleServerFaultTests.class), How.ONCE, Fault.CLIENTS_PAUSED, Fault.WRITERS_PAUSED),

	COMMAND_TAKES_LONG(in(SingleServerFaultTests.class), How.ONCE, Fault.ASLEEP),

	OUT_OF_MEMORY(in(SingleServerFaultTests.class), How.ONCE, Fault.OUT_OF_MEMORY),

	READ_ONLY(in(SingleServerFaultTests.class), How.ONCE, Fault.READ_ONLY),

	MIX_ON_ONE_SERVER(in(SingleServerFaultTests.class), How.MIXED, Fault.FROZEN_SHORTLY, Fault.FROZEN_FOR_LONG,
			Fault.RESTARTED_EMPTY, Fault.RESTARTED_WITH_FILE, Fault.CONNECTIONS_KILLED, Fault.SUBSCRIPTIONS_KILLED,
			Fault.SCRIPTS_FLUSHED, Fault.CLIENTS_PAUSED, Fault.WRITERS_PAUSED, Fault.ASLEEP, Fault.OUT_OF_MEMORY,
			Fault.READ_ONLY),

	MASTER_KILLED(in(SentinelFaultTests.class), How.ONCE, Fault.MASTER_KILLED),

	MASTER_FROZEN(in(SentinelFaultTests.class), How.ONCE, Fault.MASTER_FROZEN),

	MASTER_FROZEN_THAT_NEEDS_A_REPLICA(in(SentinelFaultTests.class), How.ONCE,
			Fault.MASTER_FROZEN_THAT_NEEDS_A_REPLICA),

	FAILOVER_ASKED_FOR(in(SentinelFaultTests.class), How.ONCE, Fault.FAILOVER_ASKED_FOR),

	MIX_WITH_SENTINELS(in(SentinelFaultTests.class), How.MIXED, Fault.MASTER_KILLED, Fault.CONNECTIONS_KILLED,
			Fault.SUBSCRIPTIONS_KILLED, Fault.SCRIPTS_FLUSHED, Fault.OUT_OF_MEMORY),

	CLUSTER_MASTER_KILLED(in(RedisClusterFaultTests.class), How.ONCE, Fault.CLUSTER_MASTER_KILLED),

	CLUSTER_FAILOVER_ASKED_FOR(in(RedisClusterFaultTests.class), How.ONCE, Fault.CLUSTER_FAILOVER_ASKED_FOR),

	SLOT_MOVED(in(RedisClusterFaultTests.class), How.ONCE, Fault.SLOT_MOVED),

	BUSY_SLOT_MOVED(in(RedisClusterFaultTests.class), How.ONCE, Fault.BUSY_SLOT_MOVED),

	MIX_IN_A_CLUSTER(in(RedisClusterFaultTests.class), How.MIXED, Fault.CLUSTER_MASTER_KILLED,
			Fault.CLUSTER_FAILOVER_ASKED_FOR, Fault.SLOT_MOVED, Fault.FROZEN_SHORTLY, Fault.CONNECTIONS_KILLED,
			Fault.SCRIPTS_FLUSHED, Fault.CLIENTS_PAUSED),

	/** Nobody notices. */
	ONE_OF_FIVE_FROZEN(in(MastersFaultTests.class), How.UNNOTICED, Promise.NOTHING_LOST, Fault.FROZEN_FOR_LONG),

	ONE_OF_FIVE_RESTARTED_EMPTY(in(MastersFaultTests.class), How.ONCE, Promise.NOTHING_LOST, Fault.RESTARTED_EMPTY),

	/**
	 * Then each of the other three has to answer in time: a single try is refused when
	 * one of them is slow.
	 */
	TWO_OF_FIVE_DISTURBED(in(MastersFaultTests.class), How.TOGETHER, Promise.NOTHING_LOST, Fault.FROZEN_FOR_LONG,
			Fault.RESTARTED_WITH_FILE),

	/** Nobody notices. */
	SCRIPTS_AND_CONNECTIONS_FORGOTTEN(in(MastersFaultTests.class), How.TOGETHER_UNNOTICED, Promise.NOTHING_LOST,
			Fault.SCRIPTS_FLUSHED, Fault.CONNECTIONS_KILLED),

	MIX_ON_FIVE_MASTERS(in(MastersFaultTests.class), How.MIXED, Fault.FROZEN_FOR_LONG, Fault.FROZEN_SHORTLY,
			Fault.RESTARTED_EMPTY, Fault.RESTARTED_WITH_FILE, Fault.CONNECTIONS_KILLED, Fault.SCRIPTS_FLUSHED,
			Fault.WRITERS_PAUSED, Fault.OUT_OF_MEMORY, Fault.READ_ONLY);

	/**
	 * Faults often enough strike at a moment when nobody has a lock for long enough.
	 */
	private static final int TRIALS = 10;

	private final Set<Class<?>> tests;

	private final How how;

	private final @Nullable Promise promise;

	private final List<Fault> faults;

	Drill(Set<Class<?>> tests, How how, Fault... faults) {
		this(tests, how, null, faults);
	}

	Drill(Set<Class<?>> tests, How how, @Nullable Promise promise, Fault... faults) {
		this.tests = tests;
		this.how = how;
		this.promise = promise;
		this.faults = List.of(faults);
	}

	private static Set<Class<?>> in(Class<?>... tests) {
		return Set.of(tests);
	}

	static Stream<Drill> of(Class<?> test) {
		return Arrays.stream(values()).filter((drill) -> drill.tests.contains(test));
	}

	Promise promise(Fault fault) {
		return (this.promise != null) ? this.promise : fault.promise;
	}

	boolean isUnnoticed() {
		return this.how == How.UNNOTICED || this.how == How.TOGETHER_UNNOTICED || this.how == How.WITH_ANOTHER_WORKER;
	}

	void run(Bench bench) {
		switch (this.how) {
			case ONCE, UNNOTICED -> bench.run(this, List.of(this.faults)).requireNone();
			case TOGETHER, TOGETHER_UNNOTICED ->
				bench.run(this, this.faults.stream().map(List::of).toList()).requireNone();
			case UNTIL_LOST -> {
				long lost = 0;
				for (int i = 0; i < TRIALS && lost == 0; i++) {
					lost = bench.run(this, List.of(this.faults)).requireNone().lost();
				}
				assertThat(lost).as("Losses in spite of %d times %s", TRIALS, this.faults).isPositive();
			}
			case WITH_ANOTHER_WORKER -> runWithAnotherWorker(bench);
			case MIXED -> bench.mix(this, this.faults);
		}
	}

	private void runWithAnotherWorker(Bench bench) {
		boolean jumps = this.faults.contains(Fault.CLOCK_JUMPS);
		if (jumps) {
			assumeThat(WallClock.LIBRARY).as("libfaketime is not installed (Debian: faketime)").isPresent();
		}
		WorkerJvm other = jumps ? bench.clock().hire(bench.team()) : bench.team()
			.hire(List.of("spring.data.redis.jedis.pool.max-active=2", "worker.business-threads=50"), Map.of());
		try {
			bench.run(this, List.of(this.faults)).requireNone().requireSectionsOf(other.name());
		}
		finally {
			bench.team().dismiss(other);
		}
	}

	enum How {

		/** One after the other. */
		ONCE,
		/** The same, and nobody is refused. */
		UNNOTICED,
		/**
		 * One after the other, again and again until somebody has lost a lock because of
		 * them.
		 */
		UNTIL_LOST,
		/** All at the same time. */
		TOGETHER,
		/** The same, and nobody is refused. */
		TOGETHER_UNNOTICED,
		/**
		 * While somebody else works with the others, who gets locks too, and nobody is
		 * refused.
		 */
		WITH_ANOTHER_WORKER,
		/**
		 * At random, one or two to servers and perhaps one to a worker at the same time,
		 * again and again.
		 */
		MIXED

	}

}
