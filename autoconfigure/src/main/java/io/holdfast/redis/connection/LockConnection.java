package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ReturnType;

/**
 * A connection that is lent for one request.
 *
 * @since 0.1.0
 */
public interface LockConnection {

	/**
	 * Run a script that Redis knows.
	 * @param digest the digest of the script
	 * @param replies a number, or a list with anything in it
	 * @param keys its keys
	 * @param arguments its arguments
	 * @return what it replies, as numbers, bytes and lists
	 */
	@Nullable Object evalSha(String digest, ReturnType replies, List<byte[]> keys, List<byte[]> arguments);

	/**
	 * Run a script.
	 * @param script the script
	 * @param replies a number, or a list with anything in it
	 * @param keys its keys
	 * @param arguments its arguments
	 * @return what it replies, as numbers, bytes and lists
	 */
	@Nullable Object eval(byte[] script, ReturnType replies, List<byte[]> keys, List<byte[]> arguments);

	/**
	 * Wait until replicas have everything that this connection wrote. If too few have, it
	 * is not used again: its server may no longer be the master.
	 * @param replicas how many replicas
	 * @param atMost how long to wait for them
	 * @return how many have
	 */
	long awaitReplicas(int replicas, Duration atMost);

}
