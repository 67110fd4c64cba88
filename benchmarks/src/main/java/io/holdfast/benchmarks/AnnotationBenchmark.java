package io.holdfast.benchmarks;

import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.holdfast.DistributedLock;
import io.holdfast.LockTemplate;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.MapPropertySource;

/**
 * For JMH: what a method costs that is annotated, and the same work under a lock of the
 * template, with locks in memory, which cost little beside.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@SuppressWarnings("NullAway.Init")
public class AnnotationBenchmark {

	private final AnnotationConfigApplicationContext application = new AnnotationConfigApplicationContext();

	private LockTemplate template;

	private Orders orders;

	/**
	 * Start the application.
	 */
	@Setup
	public void start() {
		this.application.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("local", Map.of("holdfast.store", "local")));
		this.application.register(OrdersConfiguration.class);
		this.application.refresh();
		this.template = this.application.getBean(LockTemplate.class);
		this.orders = this.application.getBean(Orders.class);
	}

	/**
	 * Stop the application.
	 */
	@TearDown
	public void stop() {
		this.application.close();
	}

	/**
	 * Work under a lock of the template.
	 * @return the result of the work
	 */
	@Benchmark
	public int template() {
		return this.template.execute("42", (lock) -> 2);
	}

	/**
	 * Work in an annotated method.
	 * @return the result of the work
	 */
	@Benchmark
	public int annotated() {
		return this.orders.work("42");
	}

	/**
	 * The application's own bean.
	 */
	static class Orders {

		@DistributedLock(key = "#id")
		int work(String id) {
			return id.length();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(HoldfastApplication.class)
	static class OrdersConfiguration {

		@Bean
		Orders orders() {
			return new Orders();
		}

	}

}
