package io.holdfast.sample;

import java.io.IOException;

import org.jspecify.annotations.Nullable;

/**
 * The Redis that the instances of the sample on one machine share: the first of them
 * starts it and takes it along when it stops, the others find it.
 */
final class EmbeddedRedis {

	private final RedisPort port;

	private final @Nullable RedisDaemon daemon;

	private EmbeddedRedis(RedisPort port, @Nullable RedisDaemon daemon) {
		this.port = port;
		this.daemon = daemon;
	}

	/**
	 * Use the Redis on a port, or start one if there is none.
	 * @throws RedisNotStartedException when there is none and the port cannot be had
	 */
	static EmbeddedRedis findOrStart(int number) {
		RedisPort port = new RedisPort(number);
		try {
			return port.answers() ? new EmbeddedRedis(port, null) : start(port);
		}
		catch (IOException | IllegalArgumentException ex) {
			// The latter when there is no binary for this operating system
			throw new RedisNotStartedException(number, ex.toString(), ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new RedisNotStartedException(number, "interrupted", ex);
		}
	}

	private static EmbeddedRedis start(RedisPort port) throws IOException, InterruptedException {
		RedisDaemon daemon = RedisDaemon.launch(port);
		if (daemon.awaitUp()) {
			return new EmbeddedRedis(port, daemon);
		}
		String log = daemon.log();
		daemon.stop();
		if (!port.answers()) {
			throw new RedisNotStartedException(port.number(), log, null);
		}
		// Another instance looked for a Redis at the same time and was faster
		return new EmbeddedRedis(port, null);
	}

	int port() {
		return this.port.number();
	}

	boolean startedHere() {
		return this.daemon != null;
	}

	/**
	 * End the server if this application has started it.
	 */
	void stop() throws IOException {
		if (this.daemon != null) {
			this.daemon.stop();
		}
	}

	@Override
	public String toString() {
		return "Redis listens on %s:%d (%s)".formatted(RedisPort.HOST, port(),
				startedHere() ? "started by this application" : "found, started by another instance");
	}

}
