package io.holdfast.benchmarks.worker;

import java.nio.file.Path;
import java.util.List;

import io.holdfast.benchmarks.contender.ClientSettings;
import io.holdfast.benchmarks.contender.Contender;

/**
 * What a worker is to do.
 *
 * @param contender with what
 * @param workload what
 * @param port port of Redis
 * @param index number of this worker among those of the measurement
 * @param threads how many threads of it acquire and release; none where locks are merely
 * held
 * @param keys how many keys to hold, where many are held
 * @param counter file with the number that is counted up while the one key is held
 */
public record WorkerTask(Contender contender, Workload workload, int port, int index, int threads, int keys,
		Path counter) {

	/**
	 * Read from a command line.
	 */
	static WorkerTask parse(String... arguments) {
		return new WorkerTask(Contender.of(arguments[0]), Workload.valueOf(arguments[1]),
				Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]), Integer.parseInt(arguments[4]),
				Integer.parseInt(arguments[5]), Path.of(arguments[6]));
	}

	/**
	 * Return the arguments of a command line that {@link WorkerMain} understands.
	 * @return the arguments
	 */
	public List<String> arguments() {
		return List.of(this.contender.id(), this.workload.name(), Integer.toString(this.port),
				Integer.toString(this.index), Integer.toString(this.threads), Integer.toString(this.keys),
				this.counter.toString());
	}

	ClientSettings clientSettings() {
		return new ClientSettings(this.port, this.threads, this.workload == Workload.HELD);
	}

	/**
	 * Return the key of a thread.
	 */
	String key(int thread) {
		return (this.workload == Workload.OWN_KEY) ? "own-%d-%d".formatted(this.index, thread) : "one";
	}

	/**
	 * Return one of many keys to hold.
	 * @param number which one
	 * @return the key
	 */
	public static String heldKey(int number) {
		return "held-" + number;
	}

}
