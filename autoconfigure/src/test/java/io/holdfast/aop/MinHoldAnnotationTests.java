package io.holdfast.aop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.OnFailure;
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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Methods whose keys stay taken, in two applications.
 */
@Tag("slow")
class MinHoldAnnotationTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private static final List<ConfigurableApplicationContext> applications = new ArrayList<>();

	private Jedis jedis;

	@BeforeAll
	static void startApplications() {
		for (int i = 0; i < 2; i++) {
			applications.add(new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
				.properties("spring.data.redis.port=" + redis.port(), "spring.main.banner-mode=off",
						"spring.datasource.generate-unique-name=true", "jobs.at-least=2m")
				.run());
		}
	}

	@AfterAll
	static void stopApplications() {
		applications.forEach(ConfigurableApplicationContext::close);
	}

	@BeforeEach
	void forgetWhatIsKept() {
		this.jedis = redis.connect();
		this.jedis.flushAll();
	}

	private static Jobs jobs(int application) {
		return applications.get(application).getBean(Jobs.class);
	}

	private static boolean ran(Runnable job) {
		try {
			job.run();
			return true;
		}
		catch (LockNotAcquiredException ex) {
			return false;
		}
	}

	@Test
	void methodDoesNotRunAgainBeforeItsTimeIsOver() {
		assertThat(ran(jobs(0)::kept)).isTrue();
		assertThat(ran(jobs(0)::kept)).isFalse();
		assertThat(ran(jobs(1)::kept)).isFalse();
		assertThat(this.jedis.pttl("holdfast:{job}")).isBetween(60_000L, 120_000L);
	}

	@Test
	void methodThatThrowsIsKeptAsWell() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(jobs(0)::failing);
		assertThat(ran(jobs(1)::kept)).isFalse();
	}

	@Test
	void permitsThatAreKeptLimitHowOftenAMethodRuns() {
		assertThat(IntStream.range(0, 6).filter((i) -> jobs(i % 2).limited())).hasSize(3);
	}

	@Test
	void eachAsynchronousCallTakesAPermitUntilItsFutureIsDone() {
		List<CompletableFuture<String>> work = Stream.generate(CompletableFuture<String>::new).limit(3).toList();
		CompletableFuture<String> first = jobs(0).running(work.get(0));
		CompletableFuture<String> second = jobs(1).running(work.get(1));
		await().until(() -> this.jedis.zcard("holdfast:{running}:shares") == 2);
		assertThatExceptionOfType(CompletionException.class).isThrownBy(jobs(0).running(work.get(2))::join)
			.withCauseInstanceOf(LockNotAcquiredException.class);
		work.get(0).complete("done");
		assertThat(Threads.join(first)).isEqualTo("done");
		CompletableFuture<String> third = jobs(0).running(work.get(2));
		work.forEach((each) -> each.complete("done"));
		assertThat(Threads.join(second)).isEqualTo(Threads.join(third)).isEqualTo("done");
	}

	static class Jobs {

		@DistributedLock(key = "'limited'", waitFor = "0", permits = 3, minHold = "${jobs.at-least}",
				onFailure = OnFailure.SKIP)
		boolean limited() {
			return true;
		}

		@DistributedLock(key = "'running'", waitFor = "0", permitsString = "${jobs.permits:2}")
		CompletableFuture<String> running(CompletableFuture<String> work) {
			return work;
		}

		@DistributedLock(key = "'job'", waitFor = "0", minHold = "${jobs.at-least}")
		void kept() {
			// faster than any scheduler
		}

		@DistributedLock(key = "'job'", waitFor = "0", minHold = "2m")
		void failing() {
			throw new IllegalStateException("fails");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Jobs.class)
	static class Application {

	}

}
