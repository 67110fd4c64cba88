package io.holdfast.sample;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.ShutdownParams;

/**
 * A port of this machine on which there may be a Redis.
 *
 * @param number the port's number
 */
record RedisPort(int number) {

	static final String HOST = "localhost";

	/**
	 * A Redis on this machine answers at once; what takes longer is something else.
	 */
	private static final JedisClientConfig CLIENT = DefaultJedisClientConfig.builder().timeoutMillis(1000).build();

	boolean answers() {
		return "PONG".equals(ask(Jedis::ping));
	}

	/**
	 * Return where the Redis that answers has put its process id.
	 */
	@Nullable String pidFile() {
		return ask((jedis) -> jedis.configGet("pidfile").get("pidfile"));
	}

	void shutdown() {
		ask((jedis) -> {
			jedis.shutdown(ShutdownParams.shutdownParams().nosave());
			return null;
		});
	}

	private @Nullable String ask(Function<Jedis, @Nullable String> question) {
		try (Jedis jedis = new Jedis(new HostAndPort(HOST, this.number), CLIENT)) {
			return question.apply(jedis);
		}
		catch (JedisException | ClassCastException ex) {
			// Nobody is there, or no Redis: the system may even have given this
			// connection the port that it looks for
			return null;
		}
	}

}
