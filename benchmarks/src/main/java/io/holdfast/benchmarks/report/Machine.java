package io.holdfast.benchmarks.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import com.sun.management.OperatingSystemMXBean;

/**
 * What the figures were measured on.
 *
 * @param cpu model of the processor
 * @param cores how many cores there are
 * @param memoryGib memory in GiB
 * @param os operating system
 * @param jdk Java
 * @param redis version of Redis
 */
public record Machine(String cpu, int cores, long memoryGib, String os, String jdk, String redis) {

	private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

	/**
	 * Look at this machine.
	 * @param redisVersion version of the Redis that was used
	 * @return the machine
	 */
	public static Machine find(String redisVersion) {
		OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
		return new Machine(findCpu(), Runtime.getRuntime().availableProcessors(),
				Math.round(system.getTotalMemorySize() / (double) (1 << 30)),
				"%s %s (%s)".formatted(System.getProperty("os.name"), System.getProperty("os.version"),
						System.getProperty("os.arch")),
				"%s %s".formatted(System.getProperty("java.vm.name"), Runtime.version()), redisVersion);
	}

	private static String findCpu() {
		if (!Files.isReadable(CPU_INFO)) {
			return "unknown";
		}
		try (Stream<String> lines = Files.lines(CPU_INFO)) {
			return lines.filter((line) -> line.startsWith("model name"))
				.findFirst()
				.map((line) -> line.substring(line.indexOf(':') + 1).strip())
				.orElse("unknown");
		}
		catch (IOException ex) {
			return "unknown";
		}
	}

	@Override
	public String toString() {
		return """
				- CPU: %s, %d cores
				- memory: %d GiB
				- OS: %s
				- JDK: %s
				- Redis: %s, on the same machine
				""".formatted(this.cpu, this.cores, this.memoryGib, this.os, this.jdk, this.redis);
	}

}
