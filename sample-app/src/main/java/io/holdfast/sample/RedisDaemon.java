package io.holdfast.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import redis.embedded.RedisExecProvider;

import org.springframework.util.FileSystemUtils;

/**
 * A Redis server that this application has launched, with the binary that comes with
 * embedded-redis.
 *
 * <p>
 * It runs as a daemon and not, as that library would have it, as a child that a shutdown
 * hook ends: the hook runs beside the one that closes the application, and Ctrl-C in a
 * terminal reaches children as well. Either way Redis would be gone before locks are
 * released.
 */
final class RedisDaemon {

	private static final Duration STARTUP_LIMIT = Duration.ofSeconds(10);

	private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

	private final RedisPort port;

	private final Path directory;

	private RedisDaemon(RedisPort port, Path directory) {
		this.port = port;
		this.directory = directory;
	}

	/**
	 * Launch a server. It comes up on its own, or gives up when the port is taken. One at
	 * a time, because a binary cannot be run while another process that was launched
	 * meanwhile has inherited the open file it is written to.
	 */
	static synchronized RedisDaemon launch(RedisPort port) throws IOException, InterruptedException {
		RedisDaemon daemon = new RedisDaemon(port, Files.createTempDirectory("holdfast-sample-redis"));
		List<String> command = List.of(RedisExecProvider.defaultProvider().get().getAbsolutePath(), "--port",
				Integer.toString(port.number()), "--bind", "127.0.0.1", "--save", "", "--daemonize", "yes", "--dir",
				daemon.directory.toString(), "--pidfile", daemon.pidFile().toString(), "--logfile",
				daemon.logFile().toString());
		new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(daemon.logFile().toFile()))
			.start()
			.waitFor();
		return daemon;
	}

	/**
	 * Wait until the server is up or has given up. Until then nobody else's answer on the
	 * port counts: should the other server go at that moment, this one would come up
	 * after all, and nobody would know of it.
	 * @return whether it is up
	 */
	boolean awaitUp() throws IOException, InterruptedException {
		long start = System.nanoTime();
		while (System.nanoTime() - start < STARTUP_LIMIT.toNanos()) {
			if (isUp()) {
				return true;
			}
			if (log().contains("Failed listening on port")) {
				return false;
			}
			// Another process, which tells nobody when it is ready
			Thread.sleep(POLL_INTERVAL.toMillis());
		}
		return false;
	}

	/**
	 * Return whether it is this server that answers on the port, and not another one that
	 * was faster.
	 */
	private boolean isUp() {
		return pidFile().toString().equals(this.port.pidFile());
	}

	/**
	 * Return what the server has to say about itself.
	 */
	String log() throws IOException {
		return Files.exists(logFile()) ? Files.readString(logFile()) : "";
	}

	void stop() throws IOException {
		if (isUp()) {
			this.port.shutdown();
		}
		FileSystemUtils.deleteRecursively(this.directory);
	}

	private Path pidFile() {
		return this.directory.resolve("redis.pid");
	}

	private Path logFile() {
		return this.directory.resolve("redis.log");
	}

}
