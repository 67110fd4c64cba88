package io.holdfast.autoconfigure;

import java.time.Duration;

import javax.net.ssl.SSLParameters;

import io.holdfast.redis.JedisLockConnections;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Connects to nodes by Jedis.
 */
class JedisNodeConnector implements RedisNodeConnector<JedisLockConnections> {

	/**
	 * Connections for all threads that ask a node, and for the subscription.
	 */
	private static final int CONNECTIONS = 16;

	/**
	 * Jedis counts in milliseconds, and takes zero for no limit.
	 */
	private static final Duration LEAST_TIMEOUT = Duration.ofMillis(1);

	private final NodeSsl ssl;

	JedisNodeConnector(NodeSsl ssl) {
		this.ssl = ssl;
	}

	@Override
	public JedisLockConnections connect(RedisNode node, Duration nodeTimeout) {
		Duration timeout = (nodeTimeout.compareTo(LEAST_TIMEOUT) > 0) ? nodeTimeout : LEAST_TIMEOUT;
		JedisClientConfiguration.JedisClientConfigurationBuilder client = JedisClientConfiguration.builder()
			.connectTimeout(timeout)
			.readTimeout(timeout);
		if (node.isSsl()) {
			encrypt(client.useSsl());
		}
		JedisClientConfiguration pooled = client.usePooling().poolConfig(pool(timeout)).build();
		return new JedisLockConnections(() -> new JedisConnectionFactory(node.configuration(), pooled), timeout,
				() -> true);
	}

	/**
	 * Jedis checks whether the certificate is for the node's host only if it is told to.
	 */
	private void encrypt(JedisClientConfiguration.JedisSslClientConfigurationBuilder client) {
		SSLParameters parameters = new SSLParameters(this.ssl.ciphers(), this.ssl.protocols());
		parameters.setEndpointIdentificationAlgorithm("HTTPS");
		client.sslParameters(parameters);
		if (this.ssl.bundle() != null) {
			client.sslSocketFactory(this.ssl.bundle().createSslContext().getSocketFactory());
		}
	}

	private static <T> GenericObjectPoolConfig<T> pool(Duration timeout) {
		GenericObjectPoolConfig<T> pool = new GenericObjectPoolConfig<>();
		pool.setMaxTotal(CONNECTIONS);
		pool.setMaxIdle(CONNECTIONS);
		pool.setMaxWait(timeout);
		pool.setJmxEnabled(false);
		return pool;
	}

}
