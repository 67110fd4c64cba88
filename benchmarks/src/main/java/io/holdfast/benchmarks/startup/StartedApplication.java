package io.holdfast.benchmarks.startup;

import java.lang.management.ManagementFactory;

import com.sun.management.OperatingSystemMXBean;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * An application that has all that is on the class path, uses no lock, and prints what it
 * took to start it.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class StartedApplication {

	private static final int COLLECTIONS = 3;

	/**
	 * Start, print and stop.
	 * @param arguments properties
	 */
	public static void main(String[] arguments) {
		ConfigurableApplicationContext application = SpringApplication.run(StartedApplication.class, arguments);
		OperatingSystemMXBean process = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
		long cpu = process.getProcessCpuTime();
		long main = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
		long time = ManagementFactory.getRuntimeMXBean().getUptime();
		int threads = ManagementFactory.getThreadMXBean().getThreadCount();
		for (int i = 0; i < COLLECTIONS; i++) {
			System.gc();
		}
		long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
		int classes = ManagementFactory.getClassLoadingMXBean().getLoadedClassCount();
		System.out.printf("%s %d %d %d %d %d %d%n", StartUp.MEASURED, cpu / 1_000_000, main / 1_000_000, time, threads,
				heap / 1024, classes);
		application.close();
	}

}
