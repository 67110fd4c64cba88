package io.holdfast.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.holdfast.test.OrphanGuard;
import io.holdfast.test.Signals;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

import static org.awaitility.Awaitility.await;

/**
 * The process of a database, with all that it has started.
 */
final class ServerProcess {

	private final List<String> command;

	private final Path log;

	private final Ready ready;

	private @Nullable ProcessHandle process;

	private @Nullable OrphanGuard guard;

	/**
	 * Adopt a process.
	 * @param process the process, or {@code null} before it is started
	 * @param command starts it again
	 * @param log what it writes after that
	 * @param ready fails for as long as it does not answer
	 */
	ServerProcess(@Nullable ProcessHandle process, List<String> command, Path log, Ready ready) {
		this.command = command;
		this.log = log;
		this.ready = ready;
		if (process != null) {
			guard(process);
		}
	}

	private void guard(ProcessHandle process) {
		this.process = process;
		try {
			this.guard = new OrphanGuard(process);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static ServerProcess start(List<String> command, Path log, Ready ready) {
		ServerProcess started = new ServerProcess(null, command, log, ready);
		started.start();
		return started;
	}

	void start() {
		try {
			Process started = new ProcessBuilder(this.command).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.appendTo(this.log.toFile()))
				.start();
			guard(started.toHandle());
			if (!isReadyBeforeItEnds(started)) {
				throw new IllegalStateException(Files.readString(this.log));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private boolean isReadyBeforeItEnds(Process started) {
		try {
			await().atMost(Duration.ofMinutes(2)).ignoreExceptions().until(() -> {
				if (started.isAlive()) {
					this.ready.check();
				}
				return true;
			});
			return started.isAlive();
		}
		catch (ConditionTimeoutException ex) {
			return false;
		}
	}

	void kill() {
		if (this.guard != null) {
			this.guard.close();
		}
		freeze(); // or it may start others meanwhile, which would be left
		List<ProcessHandle> killed = signal("KILL");
		await().ignoreExceptions().until(() -> killed.stream().noneMatch(ServerProcess::runs));
	}

	private static boolean runs(ProcessHandle process) {
		Path state = Path.of("/proc", Long.toString(process.pid()), "stat");
		try {
			return process.isAlive() && Files.exists(state) && !Files.readString(state).contains(") Z ");
		}
		catch (IOException ex) {
			return false;
		}
	}

	// The first one cannot start others after that
	void freeze() {
		signal("STOP");
		signal("STOP");
	}

	void goOn() {
		signal("CONT");
	}

	private List<ProcessHandle> signal(String name) {
		List<ProcessHandle> all = Stream.ofNullable(this.process)
			.flatMap((each) -> Stream.concat(Stream.of(each), each.descendants()))
			.toList();
		Signals.send(name, all);
		return all;
	}

	/**
	 * Asks for an answer.
	 */
	@FunctionalInterface
	interface Ready {

		void check() throws Exception;

	}

}
