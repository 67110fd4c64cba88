package io.holdfast.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;

import io.holdfast.benchmarks.contender.ClientSettings;
import io.holdfast.benchmarks.contender.Contender;
import io.holdfast.benchmarks.contender.LockClient;
import io.holdfast.benchmarks.harness.RedisServer;
import io.holdfast.benchmarks.harness.Scenario;
import io.holdfast.benchmarks.harness.Settings;
import io.holdfast.benchmarks.jmh.AnnotationBenchmark;
import io.holdfast.benchmarks.worker.SharedCounter;
import io.holdfast.benchmarks.worker.Window;
import io.holdfast.benchmarks.worker.Worker;
import io.holdfast.benchmarks.worker.WorkerResult;
import io.holdfast.benchmarks.worker.WorkerTask;
import io.holdfast.benchmarks.worker.Workload;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests that the benchmarks work. How fast anything is does not matter here.
 */
class BenchmarksSmokeTests {

	private static final Settings TINY = new Settings(Duration.ofMillis(50), Duration.ofMillis(200),
			Duration.ofMillis(200), 20, Duration.ofMillis(20), 1, jvmOptions());

	private static RedisServer redis;

	@TempDir
	private Path directory;

	@BeforeAll
	static void startRedis() {
		redis = RedisServer.open(0);
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
	}

	@ParameterizedTest
	@EnumSource
	void everyContenderKeepsThreadsOutOfEachOthersWay(Contender contender) throws Exception {
		Path counter = Files.write(this.directory.resolve("counter"), new byte[Long.BYTES]);
		WorkerTask task = new WorkerTask(contender, Workload.ONE_KEY, redis.port(), 0, 3, 0, counter);
		try (Worker worker = new Worker(task)) {
			WorkerResult result = worker.run(Window.after(Duration.ofMillis(20), Duration.ofMillis(100)));
			assertThat(result.allOperations()).isPositive();
			assertThat(SharedCounter.open(counter).get()).isEqualTo(result.allOperations());
		}
	}

	@ParameterizedTest
	@EnumSource
	void everyContendersKeyIsInRedisWhileTheLockIsHeld(Contender contender) throws Exception {
		try (LockClient client = contender.open(new ClientSettings(redis.port(), 1, false));
				Jedis jedis = new Jedis(ClientSettings.HOST, redis.port())) {
			LockClient.HeldLock lock = client.acquire("some");
			assertThat(jedis.exists(contender.redisKey("some"))).isTrue();
			lock.release();
			assertThat(jedis.exists(contender.redisKey("some"))).isFalse();
		}
	}

	@Test
	void severalJvmsAreMeasuredAndReported() throws Exception {
		Options options = new Options(0, 1, List.of(Scenario.ONE_KEY_16, Scenario.HAND_OVER, Scenario.HELD),
				List.of(Contender.HOLDFAST_JEDIS), TINY, false, this.directory, null);
		assertThat(Benchmarks.run(options)).isEmpty();
		assertThat(this.directory.resolve("results.md")).content()
			.contains("## One key, 16 threads in one JVM", "## Hand-over between two JVMs", "| Holdfast (Jedis) |",
					"## Targets", "Redis: 7");
		assertThat(Files.readAllLines(this.directory.resolve("results.csv"))).hasSize(4);
		assertThat(charts()).hasSize(4).allSatisfy(BenchmarksSmokeTests::assertWellFormed);
	}

	/**
	 * Return the options of this JVM for JVMs that soon end.
	 */
	private static List<String> jvmOptions() {
		return Stream
			.concat(Stream.of("-Xmx128m"),
					ManagementFactory.getRuntimeMXBean()
						.getInputArguments()
						.stream()
						.filter((option) -> option.startsWith("-XX:")))
			.toList();
	}

	private List<Path> charts() throws IOException {
		try (Stream<Path> files = Files.list(this.directory)) {
			return files.filter((file) -> file.toString().endsWith(".svg")).toList();
		}
	}

	private static void assertWellFormed(Path chart) throws Exception {
		assertThat(DocumentBuilderFactory.newInstance()
			.newDocumentBuilder()
			.parse(chart.toFile())
			.getElementsByTagName("rect")
			.getLength()).isGreaterThan(1);
	}

	@Test
	void annotatedMethodsDoTheSameAsTheTemplate() {
		AnnotationBenchmark benchmark = new AnnotationBenchmark();
		ReflectionTestUtils.setField(benchmark, "redis", false);
		System.setProperty("benchmarks.redis-port", Integer.toString(redis.port()));
		benchmark.start();
		try {
			assertThat(benchmark.template()).isEqualTo(benchmark.annotatedWithArgument())
				.isEqualTo(benchmark.annotatedWithProperty());
		}
		finally {
			benchmark.stop();
			System.clearProperty("benchmarks.redis-port");
		}
	}

	@Test
	void redisThatIsNotEmptyIsLeftAlone() {
		try (Jedis jedis = new Jedis(ClientSettings.HOST, redis.port())) {
			jedis.set("precious", "data");
			assertThatIllegalStateException().isThrownBy(() -> RedisServer.open(redis.port()))
				.withMessageContaining("has 1 keys");
			assertThat(jedis.get("precious")).isEqualTo("data");
			jedis.flushAll();
		}
	}

	@Test
	void optionsAreRead() {
		Options options = Options.parse(6379, "--quick", "--rounds=2", "--scenarios=c,a1", "--contenders=redisson",
				"--measure=0.5", "--awake", "--docs=docs");
		assertThat(options.redisPort()).isEqualTo(6379);
		assertThat(options.rounds()).isEqualTo(2);
		assertThat(options.scenarios()).containsExactly(Scenario.OWN_KEY_1, Scenario.ONE_KEY_4_JVMS);
		assertThat(options.contenders()).containsExactly(Contender.REDISSON);
		assertThat(options.settings().measure()).isEqualTo(Duration.ofMillis(500));
		assertThat(options.awake()).isTrue();
		assertThat(options.docs()).isEqualTo(Path.of("docs"));
	}

	@Test
	void optionsThatDoNotExistAreRefused() {
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> Options.parse(0, "--fast"))
			.withMessageContaining("--quick");
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> Options.parse(0, "--scenarios=x"))
			.withMessageContaining("b128");
	}

}
