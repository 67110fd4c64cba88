package io.holdfast.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Lock;

import io.holdfast.DistributedLock;
import io.holdfast.LockListener;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.LockTemplate;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two applications compete for one lock: by annotation, template and view.
 */
@Tag("slow")
class TwoApplicationsTests {

	private static final int THREADS = 16;

	private static final int INCREMENTS = 800;

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private final Counter counter = new Counter();

	private final List<ConfigurableApplicationContext> applications = new ArrayList<>();

	@BeforeEach
	void startApplications() {
		for (int i = 0; i < 2; i++) {
			this.applications.add(new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
				.properties("spring.data.redis.client-type=jedis", "spring.data.redis.port=" + redis.port(),
						"spring.datasource.generate-unique-name=true", "holdfast.wait-for=1m")
				.initializers((context) -> context.getBeanFactory().registerSingleton("counter", this.counter))
				.run());
		}
	}

	@AfterEach
	void stopApplications() {
		this.applications.forEach(ConfigurableApplicationContext::close);
	}

	@Test
	void noIncrementIsLost() {
		List<CompletableFuture<Integer>> threads = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			Incrementer incrementer = this.applications.get(i % 2).getBean(Incrementer.class);
			int way = i / 2 % 3;
			threads.add(Threads.start(() -> increment(incrementer, way)));
		}
		assertThat(threads.stream().mapToInt(Threads::join).sum()).isEqualTo(INCREMENTS);
		assertThat(this.counter.value).isEqualTo(INCREMENTS);
		this.applications.forEach((application) -> assertThat(application.getBean(Losses.class).told).isEmpty());
	}

	private int increment(Incrementer incrementer, int way) {
		int times = INCREMENTS / THREADS;
		for (int i = 0; i < times; i++) {
			switch (way) {
				case 0 -> incrementer.byAnnotation();
				case 1 -> incrementer.byTemplate();
				default -> incrementer.byView();
			}
		}
		return times;
	}

	/**
	 * Loses increments as soon as two threads are in it.
	 */
	static class Counter {

		private int value;

		void increment() {
			int read = this.value;
			Thread.yield();
			this.value = read + 1;
		}

	}

	static class Incrementer {

		private final Counter counter;

		private final LockTemplate template;

		private final Lock view;

		Incrementer(Counter counter, LockTemplate template, LockRegistry registry) {
			this.counter = counter;
			this.template = template;
			this.view = registry.lock("counter");
		}

		@DistributedLock(key = "'counter'")
		void byAnnotation() {
			this.counter.increment();
		}

		void byTemplate() {
			this.template.executeWithoutResult(LockRequest.of("counter"), (lock) -> this.counter.increment());
		}

		void byView() {
			this.view.lock();
			try {
				this.counter.increment();
			}
			finally {
				this.view.unlock();
			}
		}

	}

	static class Losses implements LockListener {

		private final List<LockSnapshot> told = new CopyOnWriteArrayList<>();

		@Override
		public void onLost(LockSnapshot lock, Throwable cause) {
			this.told.add(lock);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Incrementer incrementer(Counter counter, LockTemplate template, LockRegistry registry) {
			return new Incrementer(counter, template, registry);
		}

		@Bean
		Losses losses() {
			return new Losses();
		}

	}

}
