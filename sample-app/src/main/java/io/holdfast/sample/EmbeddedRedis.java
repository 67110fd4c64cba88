package io.holdfast.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.ShutdownParams;
import redis.embedded.RedisExecProvider;

import org.springframework.util.FileSystemUtils;

/**
 * The Redis that the instances of the sample on one machine share: the first of them
 * starts it and takes it along when it stops, the others find it.
 *
 * <p>
 * It runs as a daemon and not as a child that a shutdown hook ends: the hook runs beside
 * the one that closes the application, and Ctrl-C in a terminal reaches children as well.
 * Either way Redis would be gone before locks are released.
 *
 * @param port where it is
 * @param directory its files, or {@code null} when another instance has started it
 */
record EmbeddedRedis(int port, @Nullable Path directory) {

	static final String HOST = "localhost";

	private static final Duration STARTUP_LIMIT = Duration.ofSeconds(10);

	/**
	 * Use the Redis on a port, or start one if there is none.
	 * @throws IllegalStateException when there is none and the port cannot be had
	 */
	static EmbeddedRedis findOrStart(int port) {
		try {
			return answers(port) ? new EmbeddedRedis(port, null) : launch(port).awaitUp();
		}
		catch (IOException | IllegalArgumentException ex) {
			// The latter when there is no binary for this operating system
			throw notStarted(port, ex.toString());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw notStarted(port, "interrupted");
		}
	}

	private static IllegalStateException notStarted(int port, String reason) {
		return new IllegalStateException(
				"No Redis answers on port %d, and none can be started there. Set ".formatted(port)
						+ "'sample.redis-port' to a port that is free, or 'spring.data.redis.host' and "
						+ "'spring.data.redis.port' to a Redis of your own. " + reason);
	}

	/**
	 * One at a time: a binary cannot be run while another process that was launched
	 * meanwhile has inherited the open file it is written to.
	 */
	private static synchronized EmbeddedRedis launch(int port) throws IOException, InterruptedException {
		Path directory = Files.createTempDirectory("holdfast-sample-redis");
		EmbeddedRedis redis = new EmbeddedRedis(port, directory);
		List<String> command = List.of(RedisExecProvider.defaultProvider().get().getAbsolutePath(), "--port",
				Integer.toString(port), "--bind", "127.0.0.1", "--save", "", "--daemonize", "yes", "--dir",
				directory.toString(), "--pidfile", directory.resolve("redis.pid").toString(), "--logfile",
				directory.resolve("redis.log").toString());
		new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve("redis.log").toFile()))
			.start()
			.waitFor();
		return redis;
	}

	/**
	 * Wait until the server is up or has given up. Until then nobody else's answer on the
	 * port counts: should the other server go at that moment, this one would come up
	 * after all, and nobody would know of it.
	 */
	private EmbeddedRedis awaitUp() throws IOException, InterruptedException {
		long start = System.nanoTime();
		while (!isUp() && !log().contains("Failed listening on port")
				&& System.nanoTime() - start < STARTUP_LIMIT.toNanos()) {
			// Another process, which tells nobody when it is ready
			Thread.sleep(20);
		}
		if (isUp()) {
			return this;
		}
		String log = log();
		stop();
		if (!answers(this.port)) {
			throw notStarted(this.port, log);
		}
		// Another instance looked for a Redis at the same time and was faster
		return new EmbeddedRedis(this.port, null);
	}

	private String log() throws IOException {
		if (this.directory == null) {
			return "";
		}
		Path log = this.directory.resolve("redis.log");
		return Files.exists(log) ? Files.readString(log) : "";
	}

	/**
	 * Return whether it is this server that answers on the port, and not another one that
	 * was faster.
	 */
	private boolean isUp() {
		return this.directory != null && this.directory.resolve("redis.pid")
			.toString()
			.equals(ask(this.port, (jedis) -> jedis.configGet("pidfile").get("pidfile")));
	}

	/**
	 * End the server if this application has started it.
	 */
	void stop() throws IOException {
		if (isUp()) {
			ask(this.port, (jedis) -> {
				jedis.shutdown(ShutdownParams.shutdownParams().nosave());
				return null;
			});
		}
		if (this.directory != null) {
			FileSystemUtils.deleteRecursively(this.directory);
		}
	}

	static boolean answers(int port) {
		return "PONG".equals(ask(port, Jedis::ping));
	}

	private static @Nullable String ask(int port, Function<Jedis, @Nullable String> question) {
		try (Jedis jedis = new Jedis(new HostAndPort(HOST, port),
				DefaultJedisClientConfig.builder().timeoutMillis(1000).build())) {
			return question.apply(jedis);
		}
		catch (JedisException | ClassCastException ex) {
			// Nobody is there, or no Redis: the system may even have given this
			// connection the port that it looks for
			return null;
		}
	}

	@Override
	public String toString() {
		return "Redis listens on %s:%d (%s)".formatted(HOST, this.port,
				(this.directory != null) ? "started by this application" : "found, started by another instance");
	}

}
