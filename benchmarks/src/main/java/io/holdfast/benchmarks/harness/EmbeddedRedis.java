package io.holdfast.benchmarks.harness;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.holdfast.benchmarks.contender.ClientSettings;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.embedded.RedisExecProvider;

import org.springframework.util.FileSystemUtils;

/**
 * A Redis of the benchmarks' own, which saves nothing to disk. The binary comes with
 * embedded-redis.
 */
final class EmbeddedRedis implements AutoCloseable {

	private static final Duration STARTUP_LIMIT = Duration.ofSeconds(10);

	private final int port;

	private final Path directory;

	private final Process process;

	private EmbeddedRedis(int port, Path directory, Process process) {
		this.port = port;
		this.directory = directory;
		this.process = process;
	}

	static EmbeddedRedis start() {
		try {
			int port = freePort();
			Path directory = Files.createTempDirectory("holdfast-benchmarks-redis");
			File log = directory.resolve("redis.log").toFile();
			Process process = new ProcessBuilder(RedisExecProvider.defaultProvider().get().getAbsolutePath(), "--port",
					Integer.toString(port), "--bind", ClientSettings.HOST, "--save", "", "--dir", directory.toString())
				.redirectErrorStream(true)
				.redirectOutput(log)
				.start();
			EmbeddedRedis redis = new EmbeddedRedis(port, directory, process);
			Runtime.getRuntime().addShutdownHook(new Thread(redis::close));
			redis.awaitUp(log.toPath());
			return redis;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	private void awaitUp(Path log) throws IOException, InterruptedException {
		long start = System.nanoTime();
		while (!answers()) {
			if (!this.process.isAlive() || System.nanoTime() - start > STARTUP_LIMIT.toNanos()) {
				throw new IllegalStateException("Redis did not start:\n" + Files.readString(log));
			}
			TimeUnit.MILLISECONDS.sleep(20);
		}
	}

	private boolean answers() {
		try (Jedis jedis = new Jedis(ClientSettings.HOST, this.port)) {
			return "PONG".equals(jedis.ping());
		}
		catch (JedisException ex) {
			return false;
		}
	}

	int port() {
		return this.port;
	}

	@Override
	public void close() {
		this.process.destroyForcibly().onExit().join();
		FileSystemUtils.deleteRecursively(this.directory.toFile());
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
	}

}
