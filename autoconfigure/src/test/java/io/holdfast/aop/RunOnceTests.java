package io.holdfast.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.holdfast.DistributedLock;
import io.holdfast.LockListener;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.OnFailure;
import io.holdfast.RunOnce;
import io.holdfast.test.RecordedLog;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.AliasFor;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Methods that start once in an interval, in two applications.
 */
@Tag("slow")
class RunOnceTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private static final String CLASS = Jobs.class.getName();

	private static final List<ConfigurableApplicationContext> applications = new ArrayList<>();

	private Jedis jedis;

	@BeforeAll
	static void startApplications() {
		for (String name : List.of("shop", "till")) {
			applications.add(new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
				.properties("spring.data.redis.port=" + redis.port(), "spring.main.banner-mode=off",
						"spring.datasource.generate-unique-name=true", "spring.application.name=" + name,
						"management.endpoints.web.exposure.include=locks", "jobs.per=PT10M")
				.run());
		}
	}

	@AfterAll
	static void stopApplications() {
		applications.forEach(ConfigurableApplicationContext::close);
	}

	@BeforeEach
	void forgetWhatHasRun() {
		this.jedis = redis.connect();
		forgetRuns();
	}

	// But for those of the scheduler, which go on meanwhile
	private void forgetRuns() {
		this.jedis.keys("holdfast:{*}").stream().filter((key) -> !key.contains("scheduled")).forEach(this.jedis::del);
	}

	private static Jobs jobs(int application) {
		return applications.get(application).getBean(Jobs.class);
	}

	private Duration remaining(String key) {
		return Duration.ofMillis(this.jedis.pttl("holdfast:{" + key + "}"));
	}

	@Test
	void runsOfASchedulerInAllInstancesAreAnIntervalApart() {
		List<Long> starts = Jobs.starts;
		starts.clear();
		await().until(() -> starts.size() > 4);
		// The first may be from before
		List<Long> micros = starts.stream().sorted().skip(1).toList();
		assertThat(IntStream.range(1, micros.size()).mapToObj((i) -> micros.get(i) - micros.get(i - 1)))
			.allSatisfy((between) -> assertThat(between).isGreaterThanOrEqualTo(1_995_000));
		await().until(() -> applications.stream()
			.allMatch((application) -> application.getBean(SkippedRuns.class).count.get() > 3));
	}

	@Test
	void skippedRunReturnsAnEmptyResult() {
		assertThat(jobs(0).report()).contains("report");
		assertThat(jobs(0).report()).isEmpty();
		assertThat(jobs(1).report()).isEmpty();
		assertThat(remaining(CLASS + ".report")).isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10));
		forgetRuns();
		assertThat(jobs(1).report()).contains("report");
	}

	@Test
	void runThatComesALittleEarlyByItsScheduleIsNotSkipped() {
		jobs(0).inStep();
		assertThat(remaining(CLASS + ".inStep")).isBetween(Duration.ofMinutes(58), Duration.ofMinutes(59));
		jobs(0).often();
		assertThat(remaining(CLASS + ".often")).isBetween(Duration.ofSeconds(50), Duration.ofSeconds(54));
		jobs(0).byCron();
		assertThat(remaining(CLASS + ".byCron")).isBetween(Duration.ofMinutes(478), Duration.ofMinutes(479));
		jobs(0).rarely();
		assertThat(remaining(CLASS + ".rarely")).isBetween(Duration.ofMinutes(59), Duration.ofMinutes(60));
	}

	@Test
	void runThatFailsIsNotRepeated() {
		assertThatIllegalStateException().isThrownBy(jobs(0)::failing);
		jobs(0).failing();
		jobs(1).failing();
	}

	@Test
	void nameOrKeySaysWhatStartsOnce() {
		assertThat(jobs(0).named()).isOne();
		assertThat(remaining("nightly")).isPositive();
		assertThat(jobs(1).ofTenant("a")).isOne();
		assertThat(jobs(0).ofTenant("b")).isOne();
		assertThat(jobs(0).ofTenant("a")).isZero();
		assertThat(remaining("tenant:a")).isPositive();
	}

	@Test
	void annotationOfOnesOwnStartsOnceAndSetsMore() {
		assertThat(jobs(0).hourly()).isOne();
		assertThat(jobs(1).hourly()).isZero();
		assertThat(remaining(CLASS + ".hourly")).isBetween(Duration.ofMinutes(50), Duration.ofHours(1));
		assertThat(jobs(1).limited()).isBetween(Duration.ofMinutes(4), Duration.ofMinutes(5));
	}

	@Test
	void keyOfARunningMethodOutlivesItsInstance() throws Exception {
		CountDownLatch end = new CountDownLatch(1);
		var running = Threads.start(() -> jobs(0).waiting(end));
		await().until(() -> this.jedis.exists("holdfast:{" + CLASS + ".waiting}"));
		assertThat(remaining(CLASS + ".waiting")).isGreaterThan(Duration.ofMinutes(9));
		assertThat(jobs(1).waiting(end)).isZero();
		end.countDown();
		assertThat(Threads.join(running)).isOne();
		assertThat(jobs(1).waiting(end)).isZero();
	}

	@Test
	void runsAreSkippedWhileRedisDoesNotAnswer() {
		redis.kill();
		try (RecordedLog log = new RecordedLog()) {
			assertThat(jobs(0).report()).isEmpty();
			assertThat(log.lines("report() was not called, because its lock is unavailable")).hasSize(1);
		}
		finally {
			redis.start();
		}
		await().untilAsserted(() -> assertThat(jobs(0).report()).isPresent());
	}

	@Test
	void runsThatAreSkippedBecauseOfAnotherApplicationAreWarnedOfOnce() {
		try (RecordedLog log = new RecordedLog()) {
			assertThat(jobs(0).shared()).isOne();
			assertThat(jobs(0).shared()).isZero();
			await().until(() -> jobs(1).shared() + log.lines(".shared()").size() > 0);
			assertThat(jobs(1).shared()).isZero();
			assertThat(log.lines(".shared()")).singleElement().satisfies((line) -> {
				assertThat(line.level()).isEqualTo("WARN");
				assertThat(line.text()).contains("another application, 'shop', has its lock");
			});
		}
	}

	// minHold and permits

	@Test
	void permitsThatAreKeptLimitHowOftenAMethodRuns() {
		assertThat(IntStream.range(0, 6).filter((i) -> jobs(i % 2).threeTimes())).hasSize(3);
	}

	@Retention(RetentionPolicy.RUNTIME)
	@RunOnce(per = "1h")
	@interface Hourly {

		@AliasFor(annotation = DistributedLock.class)
		String lease() default "";

	}

	static class Jobs {

		private static final List<Long> starts = new CopyOnWriteArrayList<>();

		private final LockRegistry locks;

		Jobs(LockRegistry locks) {
			this.locks = locks;
		}

		@Scheduled(fixedRate = 100)
		@RunOnce(per = "2s", name = "scheduled")
		void scheduled() {
			starts.add(lock().fencingToken());
		}

		private LockSnapshot lock() {
			return this.locks.held()
				.stream()
				.filter((lock) -> lock.threadName().equals(Thread.currentThread().getName()))
				.findFirst()
				.orElseThrow();
		}

		@RunOnce(per = "${jobs.per}")
		Optional<String> report() {
			return Optional.of("report");
		}

		@RunOnce(per = "1h")
		void failing() {
			throw new IllegalStateException("fails");
		}

		@RunOnce(per = "1h", name = "nightly")
		int named() {
			return 1;
		}

		@Scheduled(initialDelay = 1, fixedRate = 1, timeUnit = TimeUnit.HOURS)
		@RunOnce(per = "1h")
		void inStep() {
		}

		@Scheduled(initialDelay = 1, fixedRate = 1, timeUnit = TimeUnit.MINUTES)
		@RunOnce(per = "59s")
		void often() {
		}

		@Scheduled(initialDelay = 1, fixedDelay = 1, timeUnit = TimeUnit.DAYS)
		@RunOnce(per = "1h")
		void rarely() {
		}

		@Scheduled(cron = "0 0 9,17 * * *")
		@RunOnce(per = "8h")
		void byCron() {
		}

		@DistributedLock(key = "'limited'", waitFor = "0", permitsString = "${jobs.permits:3}", minHold = "${jobs.per}",
				onFailure = OnFailure.SKIP)
		boolean threeTimes() {
			return true;
		}

		@RunOnce(per = "1h", name = "shared")
		int shared() {
			return 1;
		}

		@RunOnce(per = "1h", name = "tenant", key = "#tenant")
		int ofTenant(String tenant) {
			return 1;
		}

		@Hourly
		int hourly() {
			return 1;
		}

		@Hourly(lease = "5m")
		Duration limited() {
			return lock().remainingLease();
		}

		@RunOnce(per = "10m")
		int waiting(CountDownLatch end) throws InterruptedException {
			return end.await(3, TimeUnit.MINUTES) ? 1 : 0;
		}

	}

	static class SkippedRuns implements LockListener {

		private final AtomicInteger count = new AtomicInteger();

		@Override
		public void onNotAcquired(LockRequest request, Duration waited) {
			if (request.lockKeys().contains("scheduled")) {
				this.count.incrementAndGet();
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableScheduling
	@Import({ Jobs.class, SkippedRuns.class })
	static class Application {

	}

}
