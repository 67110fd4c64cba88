package io.holdfast.benchmarks.worker;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * A worker in a JVM of its own. It says {@code READY}, is told its window, answers with
 * {@code RESULT} and what it has measured, and stays as it is until it is told to end.
 */
public final class WorkerMain {

	/**
	 * What starts the line that says that the worker is ready.
	 */
	public static final String READY = "READY";

	/**
	 * What starts the line with the result.
	 */
	public static final String RESULT = "RESULT ";

	private WorkerMain() {
	}

	/**
	 * Run a worker.
	 * @param arguments {@link WorkerTask#arguments()}
	 */
	public static void main(String[] arguments) {
		int exitCode = 1;
		try {
			run(arguments);
			exitCode = 0;
		}
		catch (Exception | Error ex) {
			ex.printStackTrace();
		}
		// At once: nobody is interested in a tidy end, and some clients leave threads
		// behind
		System.out.flush();
		Runtime.getRuntime().halt(exitCode);
	}

	private static void run(String... arguments) throws Exception {
		BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		@SuppressWarnings("resource")
		Worker worker = new Worker(WorkerTask.parse(arguments));
		System.out.println(READY);
		String window = commands.readLine();
		if (window != null) {
			System.out.println(RESULT + worker.run(Window.parse(window)).toLine());
			commands.readLine();
		}
	}

}
