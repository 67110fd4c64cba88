package io.holdfast.faults.fault;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.holdfast.faults.history.Promise;
import io.holdfast.faults.harness.Bench;
import io.holdfast.faults.harness.Span;
import io.holdfast.test.RedisProcess;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * What may happen to a server. Short is less than what is left of each lease while it is
 * renewed, long is more than a lease.
 */
public final class ServerFaults {

	private static final Duration LONG = Bench.LEASE.plusMillis(300);

	private static final Duration LONGEST = Bench.LEASE.plusMillis(1500);

	private static final Duration SHORT = Duration.ofMillis(200);

	private static final Duration SHORTISH = Duration.ofMillis(600);

	private final Supplier<RedisProcess> server;

	/**
	 * Create what happens to a server.
	 * @param server finds the server
	 */
	public ServerFaults(Supplier<RedisProcess> server) {
		this.server = server;
	}

	/**
	 * {@code SIGSTOP} for less than a lease.
	 */
	public Fault frozenShortly() {
		return fault("server frozen shortly", Promise.NOTHING_LOST,
				(redis, random) -> freeze(redis, random, SHORT, SHORTISH));
	}

	/**
	 * {@code SIGSTOP} for more than a lease.
	 */
	public Fault frozenForLong() {
		return fault("server frozen for long", Promise.LOSSES_TOLD,
				(redis, random) -> freeze(redis, random, LONG, LONGEST));
	}

	private static String freeze(RedisProcess redis, Random random, Duration from, Duration to) {
		Duration time = Span.between(random, from, to);
		redis.freeze();
		Span.last(time);
		redis.unfreeze();
		return "server frozen for %d ms".formatted(time.toMillis());
	}

	/**
	 * {@code kill -9}, and a start without what it knew.
	 */
	public Fault restartedEmpty() {
		return fault("server restarted empty", Promise.GRANTS_FORGOTTEN, (redis, random) -> {
			redis.kill();
			redis.wipe();
			return restart(redis, random, "empty");
		});
	}

	/**
	 * {@code kill -9}, and a start with what it had written to its file.
	 */
	public Fault restartedWithFile() {
		return fault("server restarted with its file", Promise.NOTHING_LOST, (redis, random) -> {
			redis.kill();
			return restart(redis, random, "with its file");
		});
	}

	private static String restart(RedisProcess redis, Random random, String how) {
		Duration time = Span.between(random, Duration.ZERO, SHORT);
		Span.last(time);
		redis.start();
		return "server killed and restarted %s after %d ms".formatted(how, time.toMillis());
	}

	/**
	 * {@code CLIENT KILL} of all connections but those of subscribers and replicas.
	 */
	public Fault connectionsKilled() {
		return fault("connections killed", Promise.NOTHING_LOST, (redis, random) -> "%d connections killed"
			.formatted(again(random, () -> command(redis, Protocol.Command.CLIENT, "KILL", "TYPE", "normal"))));
	}

	/**
	 * {@code CLIENT KILL} of all subscribers but Sentinels, which would take a master for
	 * dead that does not answer them.
	 */
	public Fault subscriptionsKilled() {
		return fault("subscriptions killed", Promise.NOTHING_LOST,
				(redis, random) -> "%d subscriptions killed".formatted(again(random, () -> Subscribers.kill(redis))));
	}

	private static long again(Random random, LongSupplier action) {
		long sum = 0;
		int times = 1 + random.nextInt(5);
		for (int i = 0; i < times; i++) {
			sum += action.getAsLong();
			Span.last(Span.between(random, Duration.ZERO, SHORT));
		}
		return sum;
	}

	/**
	 * {@code SCRIPT FLUSH}.
	 */
	public Fault scriptsFlushed() {
		return fault("scripts flushed", Promise.NOTHING_LOST, (redis, random) -> {
			int times = 1 + random.nextInt(20);
			for (int i = 0; i < times; i++) {
				command(redis, Protocol.Command.SCRIPT, "FLUSH");
				Span.last(Span.between(random, Duration.ZERO, Duration.ofMillis(50)));
			}
			return "scripts flushed %d times".formatted(times);
		}).unnoticed();
	}

	/**
	 * {@code CLIENT PAUSE} for less than a lease.
	 * @param what {@code ALL} or {@code WRITE}
	 */
	public Fault clientsPaused(String what) {
		return fault("clients paused: " + what, Promise.NOTHING_LOST, (redis, random) -> {
			long millis = Span.between(random, SHORT, SHORTISH).toMillis();
			command(redis, Protocol.Command.CLIENT, "PAUSE", Long.toString(millis), what);
			Span.last(Duration.ofMillis(millis));
			return "clients paused (%s) for %d ms".formatted(what, millis);
		});
	}

	/**
	 * {@code DEBUG SLEEP} for less than a lease: a command that takes long.
	 */
	public Fault asleep() {
		return fault("server asleep", Promise.NOTHING_LOST, (redis, random) -> {
			long millis = Span.between(random, SHORT, SHORTISH).toMillis();
			command(redis, () -> "DEBUG".getBytes(StandardCharsets.US_ASCII), "SLEEP",
					Double.toString(millis / 1000.0));
			return "server asleep for %d ms".formatted(millis);
		});
	}

	/**
	 * {@code maxmemory} is reached: what takes memory is refused.
	 */
	public Fault outOfMemory() {
		return fault("server out of memory", Promise.NOTHING_LOST, (redis, random) -> {
			Duration time = Span.between(random, SHORT, SHORTISH);
			configure(redis, "maxmemory", "1");
			Span.last(time);
			configure(redis, "maxmemory", "0");
			return "server out of memory for %d ms".formatted(time.toMillis());
		});
	}

	/**
	 * The server becomes a replica of one that is not there: it refuses writes.
	 */
	public Fault readOnly() {
		return fault("server read-only", Promise.NOTHING_LOST, (redis, random) -> {
			Duration time = Span.between(random, SHORT, SHORTISH);
			command(redis, Protocol.Command.REPLICAOF, "127.0.0.1", "1");
			Span.last(time);
			command(redis, Protocol.Command.REPLICAOF, "NO", "ONE");
			return "server read-only for %d ms".formatted(time.toMillis());
		});
	}

	private Fault fault(String name, Promise promise, Action action) {
		return Fault.of(name, promise, (random) -> {
			RedisProcess target = this.server.get();
			return "%s (port %d)".formatted(action.on(target, random), target.port());
		}).alone();
	}

	private static void configure(RedisProcess redis, String name, String value) {
		command(redis, Protocol.Command.CONFIG, "SET", name, value);
	}

	private static long command(RedisProcess redis, ProtocolCommand command, String... args) {
		try (Jedis jedis = redis.connect()) {
			return (jedis.sendCommand(command, args) instanceof Long number) ? number : 0;
		}
		catch (JedisConnectionException ex) {
			return 0;
		}
	}

	/**
	 * Does something to a server, and undoes it.
	 */
	@FunctionalInterface
	private interface Action {

		String on(RedisProcess server, Random random) throws Exception;

	}

}
