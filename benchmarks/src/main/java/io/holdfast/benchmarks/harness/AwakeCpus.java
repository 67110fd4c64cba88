package io.holdfast.benchmarks.harness;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps the processors from falling asleep, by a process for each that does nothing, and
 * only when nobody else has anything to do ({@code SCHED_IDLE}).
 *
 * <p>
 * A round trip to Redis on the same machine is mostly a matter of waking up. On virtual
 * machines a processor that has fallen asleep takes several times as long for that, and
 * whether it has depends on where the scheduler happens to put client and server: the
 * same measurement comes out twice as high from one time to the next.
 */
public final class AwakeCpus implements AutoCloseable {

	private final List<Process> processes = new ArrayList<>();

	/**
	 * Start a process for each processor.
	 * @throws IOException when there is no {@code chrt} on this machine
	 */
	public AwakeCpus() throws IOException {
		Runtime.getRuntime().addShutdownHook(new Thread(this::close));
		for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
			this.processes.add(new ProcessBuilder("chrt", "--idle", "0", "sh", "-c", "while :; do :; done").start());
		}
	}

	@Override
	public void close() {
		this.processes.forEach(Process::destroyForcibly);
	}

}
