package io.holdfast.adapters;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.autoconfigure.HoldfastShedLockAutoConfiguration;
import io.holdfast.test.PatientAwaits;
import io.holdfast.test.RedisProcess;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tasks of ShedLock in two applications.
 */
@Tag("slow")
@ExtendWith(PatientAwaits.class)
class SchedulerLockTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private static ConfigurableApplicationContext application(AtomicInteger running) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.data.redis.port=" + redis.port())
			.initializers((context) -> context.getBeanFactory().registerSingleton("running", running))
			.run();
	}

	@Test
	void taskRunsInOneApplicationAtATime() {
		AtomicInteger running = new AtomicInteger();
		try (ConfigurableApplicationContext one = application(running);
				ConfigurableApplicationContext other = application(running)) {
			Task first = one.getBean(Task.class);
			Task second = other.getBean(Task.class);
			await().until(() -> first.runs() > 20 && second.runs() > 20);
			assertThat(List.of(first.most(), second.most())).containsOnly(1);
		}
	}

	/**
	 * Counts how many of it run at the same time, in all applications.
	 */
	static class Task {

		private final AtomicInteger running;

		private final AtomicInteger most = new AtomicInteger();

		private final AtomicInteger runs = new AtomicInteger();

		Task(AtomicInteger running) {
			this.running = running;
		}

		int most() {
			return this.most.get();
		}

		int runs() {
			return this.runs.get();
		}

		@Scheduled(fixedDelay = 1)
		@SchedulerLock(name = "count", lockAtLeastFor = "2ms")
		void run() {
			LockAssert.assertLocked();
			this.most.accumulateAndGet(this.running.incrementAndGet(), Math::max);
			LockExtender.extendActiveLock(Duration.ofMinutes(1), Duration.ZERO);
			this.running.decrementAndGet();
			this.runs.incrementAndGet();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	@EnableSchedulerLock(defaultLockAtMostFor = "1m")
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, HoldfastAutoConfiguration.class,
			HoldfastShedLockAutoConfiguration.class, TaskSchedulingAutoConfiguration.class })
	@Import(Task.class)
	static class Application {

	}

}
