package io.holdfast.benchmarks.jmh;

import java.util.concurrent.TimeUnit;

import io.holdfast.benchmarks.contender.ClientSettings;
import io.holdfast.benchmarks.contender.Contender;
import io.holdfast.benchmarks.contender.LockClient;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * How long it takes to acquire and release a lock that nobody else wants.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@SuppressWarnings("NullAway.Init")
public class SingleOperationBenchmark {

	/**
	 * Name of the {@link Contender}; the command says which ones.
	 */
	@Param("BARE_JEDIS")
	private String contender;

	private LockClient client;

	/**
	 * Connect.
	 */
	@Setup
	public void open() {
		this.client = Contender.valueOf(this.contender)
			.open(new ClientSettings(Integer.getInteger(JmhRuns.PORT_PROPERTY), 1, false));
	}

	/**
	 * Disconnect.
	 */
	@TearDown
	public void close() {
		this.client.close();
	}

	/**
	 * Acquire and release.
	 * @throws InterruptedException when interrupted
	 */
	@Benchmark
	public void acquireAndRelease() throws InterruptedException {
		this.client.acquire("single").release();
	}

}
