package io.holdfast.benchmarks.jmh;

import java.util.concurrent.TimeUnit;

import io.holdfast.LockTemplate;
import io.holdfast.benchmarks.contender.ClientSettings;
import io.holdfast.benchmarks.contender.HoldfastApplication;
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

import org.springframework.context.ConfigurableApplicationContext;

/**
 * What a method costs that is annotated, and the same work under a lock of the template:
 * with a registry that grants everything at once, which leaves the cost of the
 * interception alone, and with the real one.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@SuppressWarnings("NullAway.Init")
public class AnnotationBenchmark {

	/**
	 * Whether there is a Redis behind it.
	 */
	@Param("true")
	private boolean redis;

	private ConfigurableApplicationContext application;

	private LockTemplate template;

	private Orders orders;

	private Order order;

	/**
	 * Start the application.
	 */
	@Setup
	public void start() {
		ClientSettings settings = new ClientSettings(Integer.getInteger(JmhRuns.PORT_PROPERTY), 1, false);
		this.application = this.redis ? HoldfastApplication.run(settings, OrdersConfiguration.class)
				: HoldfastApplication.run(settings, OrdersConfiguration.class, GenerousConfiguration.class);
		this.template = this.application.getBean(LockTemplate.class);
		this.orders = this.application.getBean(Orders.class);
		this.order = new Order("42");
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
		return this.template.execute(this.order.getId(), (lock) -> Orders.work(this.order.getId()));
	}

	/**
	 * Work in a method that locks one of its arguments.
	 * @return the result of the work
	 */
	@Benchmark
	public int annotatedWithArgument() {
		return this.orders.workOnId(this.order.getId());
	}

	/**
	 * Work in a method that locks a property of one of its arguments.
	 * @return the result of the work
	 */
	@Benchmark
	public int annotatedWithProperty() {
		return this.orders.workOnOrder(this.order);
	}

}
