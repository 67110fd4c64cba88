package io.holdfast.test;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.embedded.RedisExecProvider;

import org.springframework.util.FileSystemUtils;

import static org.awaitility.Awaitility.await;

/**
 * A Redis server of its own for a test class: the binary that comes with embedded-redis,
 * as a process that can be stopped, killed, frozen and started again on the same port.
 */
public final class RedisProcess implements TestServer {

	/**
	 * Nodes of a Cluster take a second port, which is that much further on.
	 */
	private static final int CLUSTER_BUS = 10_000;

	/**
	 * Tests that run at the same time in other JVMs take their ports from other ranges.
	 */
	private static final int FIRST_PORT = 10_000 + 1_000 * (Integer.getInteger("holdfast.test.fork", 1) % 10);

	private static final int LAST_PORT = FIRST_PORT + 999;

	private static final AtomicInteger nextPort = new AtomicInteger(
			ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT));

	private static final int PATIENCE_MILLIS = 20_000;

	private static final int STARTS = 5;

	private static @Nullable String program = System.getProperty("holdfast.test.redis");

	private final int port = freePort();

	private final List<String> options;

	private final List<String> configuration;

	private @Nullable Path directory;

	private @Nullable Process process;

	private @Nullable OrphanGuard guard;

	public RedisProcess(String... options) {
		this(List.of(), List.of(options));
	}

	/**
	 * Create a server that may change its configuration, as Sentinel does and makes
	 * others do, and finds it changed when it is started again.
	 * @param configuration lines of its configuration file at first
	 * @param options what it is started with each time
	 */
	RedisProcess(List<String> configuration, List<String> options) {
		this.configuration = List.copyOf(configuration);
		this.options = List.copyOf(options);
	}

	public int port() {
		return this.port;
	}

	/**
	 * Start the server, empty unless it has been told to keep its data. A process that
	 * another thread starts while {@link #isFree} looks at the port has that open as well
	 * for a moment: if so, once more.
	 */
	@Override
	public void start() {
		String output = tryToStart();
		for (int i = 1; output != null && output.contains("Address in use") && i < STARTS; i++) {
			kill();
			await().until(() -> isFree(this.port));
			output = tryToStart();
		}
		if (output != null) {
			throw new IllegalStateException("Redis did not start:\n" + output);
		}
	}

	/**
	 * Start the server.
	 * @return what it has said before it ended, or {@code null} when it is ready
	 */
	private @Nullable String tryToStart() {
		try {
			Process started = new ProcessBuilder(command()).redirectErrorStream(true).start();
			this.process = started;
			this.guard = new OrphanGuard(started.toHandle());
			return awaitReady(started);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private List<String> command() throws IOException {
		Path home = this.directory;
		List<String> command = new ArrayList<>();
		command.add(program());
		if (home == null) {
			home = Files.createTempDirectory("holdfast-redis");
			this.directory = home;
			Runtime.getRuntime().addShutdownHook(new Thread(this::close, "redis-close"));
			Files.write(home.resolve("redis.conf"), this.configuration);
		}
		command.addAll(List.of(home.resolve("redis.conf").toString(), "--port", Integer.toString(this.port), "--bind",
				"127.0.0.1", "--save", "", "--dir", home.toString()));
		command.addAll(this.options);
		return command;
	}

	/**
	 * Return the server to start: the one that comes with embedded-redis, unpacked once,
	 * unless another one is asked for.
	 */
	private static synchronized String program() throws IOException {
		if (program == null) {
			program = RedisExecProvider.defaultProvider().get().getAbsolutePath();
		}
		return program;
	}

	private static @Nullable String awaitReady(Process started) throws IOException {
		BufferedReader output = new BufferedReader(new InputStreamReader(started.getInputStream()));
		StringBuilder read = new StringBuilder();
		String line = output.readLine();
		while (line != null && !line.contains("Ready to accept connections") && !line.contains("Sentinel ID is")) {
			read.append(line).append('\n');
			line = output.readLine();
		}
		if (line == null) {
			return read.toString();
		}
		Thread drain = new Thread(() -> drain(output), "redis-output");
		drain.setDaemon(true);
		drain.start();
		return null;
	}

	private static void drain(Reader output) {
		try {
			output.transferTo(Writer.nullWriter());
		}
		catch (IOException ex) {
			// The server has been killed
		}
	}

	/**
	 * End the server at once, with all its data.
	 */
	public void kill() {
		Process running = this.process;
		if (this.guard != null) {
			this.guard.close();
			this.guard = null;
		}
		if (running != null) {
			running.destroyForcibly();
			try {
				running.waitFor(10, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			this.process = null;
		}
	}

	/**
	 * Delete what a server that was killed has kept of its data.
	 */
	public void wipe() {
		if (this.directory != null) {
			FileSystemUtils.deleteRecursively(this.directory.resolve("appendonlydir").toFile());
			this.directory.resolve("appendonly.aof").toFile().delete();
		}
	}

	/**
	 * Keep the server from doing anything; connections stay open. Returns when it does
	 * not answer any more.
	 */
	public void freeze() {
		Signals.stop(running());
		await().until(() -> !answersWithin(100));
	}

	/**
	 * Ask the server, and wait for the reply as clients do.
	 */
	public boolean answersWithin(int millis) {
		try (Jedis jedis = new Jedis("127.0.0.1", this.port, millis)) {
			jedis.ping();
			return true;
		}
		catch (JedisConnectionException ex) {
			return false;
		}
	}

	public void unfreeze() {
		Signals.goOn(running());
	}

	private Process running() {
		Process running = this.process;
		if (running == null) {
			throw new IllegalStateException("Redis is not running");
		}
		return running;
	}

	public Jedis connect() {
		return new Jedis("127.0.0.1", this.port, PATIENCE_MILLIS);
	}

	/**
	 * Ask the server something, over a connection of the test's own.
	 */
	public <T extends @Nullable Object> T ask(Function<Jedis, T> question) {
		try (Jedis jedis = connect()) {
			return question.apply(jedis);
		}
	}

	/**
	 * Have the server do something, over a connection of the test's own.
	 */
	public void with(Consumer<Jedis> action) {
		try (Jedis jedis = connect()) {
			action.accept(jedis);
		}
	}

	@Override
	public void close() {
		kill();
		if (this.directory != null) {
			FileSystemUtils.deleteRecursively(this.directory.toFile());
			this.directory = null;
		}
	}

	/**
	 * Find a port that is free, and that this method has not returned lately. It is none
	 * of those that the system gives to outgoing connections, one of which could take it
	 * while the server is down.
	 */
	public static int freePort() {
		int port = nextPort.getAndUpdate((last) -> (last < LAST_PORT) ? last + 1 : FIRST_PORT);
		return (isFree(port) && isFree(port + CLUSTER_BUS)) ? port : freePort();
	}

	private static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"))) {
			return socket.isBound();
		}
		catch (BindException ex) {
			return false;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
