package io.holdfast.quorum;

import java.time.Duration;

import javax.net.ssl.SSLParameters;

import io.holdfast.redis.connection.JedisLockConnectionFactory;

import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;

class JedisNodeConnector implements RedisNodeConnections.Connector<JedisLockConnectionFactory> {

	// Connections for all threads that ask a node, and for the subscription
	private static final int CONNECTIONS = 16;

	private final RedisNodeConnections.Ssl ssl;

	JedisNodeConnector(RedisNodeConnections.Ssl ssl) {
		this.ssl = ssl;
	}

	@Override
	public JedisLockConnectionFactory connect(RedisNode node, Duration timeout) {
		JedisClientConfiguration.JedisClientConfigurationBuilder client = JedisClientConfiguration.builder()
			.connectTimeout(timeout)
			.readTimeout(timeout);
		if (node.isSsl()) {
			encrypt(client.useSsl());
		}
		return new JedisLockConnectionFactory(node.configuration(), client.build(), CONNECTIONS);
	}

	// Jedis checks whether the certificate is for the node's host only if it is told to
	private void encrypt(JedisClientConfiguration.JedisSslClientConfigurationBuilder client) {
		SSLParameters parameters = new SSLParameters(this.ssl.ciphers(), this.ssl.protocols());
		parameters.setEndpointIdentificationAlgorithm("HTTPS");
		client.sslParameters(parameters);
		if (this.ssl.bundle() != null) {
			client.sslSocketFactory(this.ssl.bundle().createSslContext().getSocketFactory());
		}
	}

}
