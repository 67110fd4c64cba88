package io.holdfast.test;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A JVM with some libraries missing from its class path.
 */
public final class WorkerProcess {

	private WorkerProcess() {
	}

	public static String outcome(Class<?> main, String[] without, String... args)
			throws IOException, InterruptedException {
		// A class that needs a missing one may fail only when it is verified
		List<String> command = JavaCommand.shortLived("-Xmx256m", "-XX:+UnlockDiagnosticVMOptions",
				"-XX:+BytecodeVerificationRemote", main.getName());
		command.addAll(List.of(args));
		ProcessBuilder builder = new ProcessBuilder(command);
		builder.environment().putAll(Map.of("CLASSPATH", classPath(without)));
		Process worker = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
		String output = new String(worker.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(worker.waitFor()).as(output).isZero();
		return output.lines().reduce((line, next) -> next).orElse("");
	}

	private static String classPath(String... without) {
		return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> Stream.of(without).noneMatch(Path.of(entry).getFileName().toString()::startsWith))
			.collect(Collectors.joining(File.pathSeparator));
	}

}
