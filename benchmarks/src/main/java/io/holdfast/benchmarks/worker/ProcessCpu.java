package io.holdfast.benchmarks.worker;

import java.lang.management.ManagementFactory;

import com.sun.management.OperatingSystemMXBean;

/**
 * CPU time of this JVM.
 */
final class ProcessCpu {

	private final OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

	/**
	 * Return the CPU time that is used up while a window is open, in nanoseconds.
	 */
	long during(Window window) throws InterruptedException {
		window.awaitStart();
		long before = this.system.getProcessCpuTime();
		window.awaitEnd();
		return this.system.getProcessCpuTime() - before;
	}

}
