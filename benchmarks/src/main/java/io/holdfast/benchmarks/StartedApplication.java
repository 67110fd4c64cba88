package io.holdfast.benchmarks;

import java.lang.management.ManagementFactory;

import org.HdrHistogram.Histogram;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/**
 * A worker that is an application, has all that is on the class path, and uses no lock.
 * What it measures is its own start.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class StartedApplication {

	/**
	 * Start, answer, and end.
	 * @param arguments properties
	 * @throws Exception when it cannot be started
	 */
	public static void main(String[] arguments) throws Exception {
		SpringApplication.run(StartedApplication.class, arguments);
		long cpuNanos = Worker.cpuNanos();
		Histogram time = Measured.histogram();
		time.recordValue(ManagementFactory.getRuntimeMXBean().getUptime() * 1_000_000);
		Worker.answer((window) -> new Measured(1, 0, cpuNanos, 0, time));
		Runtime.getRuntime().halt(0);
	}

}
