package io.holdfast.autoconfigure;

import java.time.Duration;
import java.time.Instant;

import io.holdfast.DistributedLock;
import io.holdfast.LockLostEvent;
import io.holdfast.LockRegistry;
import io.holdfast.LockTemplate;
import io.holdfast.LockView;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.WorkerProcess;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.Jedis;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A section that ends its own application, which would wait for the section as long as it
 * takes.
 */
@Tag("slow")
@Tag("depends-on-jdk")
class EndFromInsideTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	@ParameterizedTest
	@CsvSource({ "exit, annotation", "exit, worker", "springExit, template", "close, view", "springExit, task" })
	void isNotWaitedForAndHasLostNothing(String end, String way) throws Exception {
		assertThat(WorkerProcess.outcome(Application.class, new String[0], String.valueOf(redis.port()), end, way))
			.isEqualTo("work is done");
		try (Jedis jedis = redis.connect()) {
			assertThat(jedis.keys("*job}")).isEmpty();
		}
	}

	@Configuration
	@EnableAsync
	@ImportAutoConfiguration({ AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
			HoldfastAutoConfiguration.class, HoldfastShedLockAutoConfiguration.class })
	@Import(Job.class)
	static class Application {

		@EventListener
		void onLost(LockLostEvent event) {
			System.out.println("lost " + event.lock());
		}

		public static void main(String[] args) throws Exception {
			ConfigurableApplicationContext context = SpringApplication.run(Application.class,
					"--spring.data.redis.port=" + args[0], "--spring.data.redis.client-type=jedis",
					"--spring.main.banner-mode=off", "--spring.main.web-application-type=none",
					"--logging.level.root=WARN", "--holdfast.shutdown-grace=1h");
			Job job = context.getBean(Job.class);
			switch (args[2]) {
				case "annotation" -> job.annotated(args[1]);
				case "worker" -> job.onWorker(args[1]);
				case "template" -> job.byTemplate(args[1]);
				case "task" -> job.asTask(args[1]);
				default -> job.byView(args[1]);
			}
		}

	}

	static class Job {

		private final LockRegistry registry;

		private final LockTemplate template;

		private final LockProvider tasks;

		private final ConfigurableApplicationContext context;

		Job(LockRegistry registry, LockTemplate template, LockProvider tasks, ConfigurableApplicationContext context) {
			this.registry = registry;
			this.template = template;
			this.tasks = tasks;
			this.context = context;
		}

		@DistributedLock(key = "'job'")
		public void annotated(String end) {
			end(end);
		}

		@Async
		@DistributedLock(key = "'job'")
		public void onWorker(String end) {
			end(end);
		}

		void byTemplate(String end) {
			this.template.executeWithoutResult("job", (lock) -> end(end));
		}

		void asTask(String end) {
			LockConfiguration task = new LockConfiguration(Instant.now(), "job", Duration.ofHours(1), Duration.ZERO);
			new DefaultLockingTaskExecutor(this.tasks).executeWithLock((Runnable) () -> end(end), task);
		}

		void byView(String end) {
			LockView lock = this.registry.lock("job");
			lock.lock();
			try {
				end(end);
			}
			finally {
				lock.unlock();
			}
		}

		private void end(String how) {
			System.out.println("work is done");
			switch (how) {
				case "exit" -> System.exit(0);
				case "springExit" -> System.exit(SpringApplication.exit(this.context, () -> 0));
				default -> this.context.close();
			}
		}

	}

}
