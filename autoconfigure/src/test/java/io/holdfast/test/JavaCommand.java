package io.holdfast.test;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How other JVMs are started.
 */
public final class JavaCommand {

	private JavaCommand() {
	}

	/**
	 * Return the beginning of a command for a JVM that soon ends: it has the options of
	 * this one for that.
	 * @param options more options of the JVM
	 */
	public static List<String> shortLived(String... options) {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		ManagementFactory.getRuntimeMXBean()
			.getInputArguments()
			.stream()
			.filter((option) -> option.startsWith("-XX:"))
			.forEach(command::add);
		command.addAll(List.of(options));
		return command;
	}

}
