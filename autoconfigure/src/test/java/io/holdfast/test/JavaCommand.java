package io.holdfast.test;

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
	 * Return the beginning of a command for a JVM that soon ends: for it, the effort of
	 * the optimizing compiler is not worth it.
	 * @param options more options of the JVM
	 */
	public static List<String> shortLived(String... options) {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
		command.addAll(List.of(options));
		return command;
	}

}
