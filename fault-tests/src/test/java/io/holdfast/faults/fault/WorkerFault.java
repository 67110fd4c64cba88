package io.holdfast.faults.fault;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.holdfast.faults.history.Promise;
import io.holdfast.faults.harness.Bench;
import io.holdfast.faults.harness.Span;
import io.holdfast.faults.harness.Team;
import io.holdfast.faults.harness.WorkerJvm;

/**
 * What happens to workers.
 */
public enum WorkerFault {

	/** {@code kill -9}. */
	KILLED(Promise.NOTHING_LOST) {

		@Override
		String strike(WorkerJvm worker, Random random) {
			worker.kill();
			return worker.name() + " killed";
		}

	},

	/** {@code SIGSTOP} for longer than a lease, then {@code SIGCONT}. */
	FROZEN(Promise.LOSSES_TOLD) {

		@Override
		String strike(WorkerJvm worker, Random random) {
			Duration time = Span.between(random, Bench.LEASE.plusMillis(200), Bench.LEASE.plusMillis(1500));
			worker.freeze(time);
			return "%s frozen for %d ms".formatted(worker.name(), time.toMillis());
		}

	};

	private final Promise promise;

	WorkerFault(Promise promise) {
		this.promise = promise;
	}

	abstract String strike(WorkerJvm worker, Random random);

	/**
	 * Return what happens to any worker of a team.
	 */
	public Fault of(Supplier<Team> team) {
		return Fault.of("worker " + this, this.promise, (random) -> strike(team.get().any(random), random));
	}

	/**
	 * Return all that may happen to any worker of a team.
	 */
	public static List<Fault> all(Supplier<Team> team) {
		return Stream.of(values()).map((what) -> what.of(team)).toList();
	}

}
