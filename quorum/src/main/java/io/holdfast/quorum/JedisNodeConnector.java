package io.holdfast.quorum;

import java.time.Duration;

import javax.net.ssl.SSLParameters;

import io.holdfast.redis.connection.LockClient;
import io.holdfast.redis.connection.LockConnectionFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;

class JedisNodeConnector implements RedisNodeConnections.Connector {

	// Connections for all threads that ask a node, and for the subscription
	private static final int CONNECTIONS = 16;

	private final RedisNodeConnections.Ssl ssl;

	JedisNodeConnector(RedisNodeConnections.Ssl ssl) {
		this.ssl = ssl;
	}

	@Override
	public LockConnectionFactory connect(RedisNode node, Duration timeout) {
		return LockClient.connectionsByJedis(node.configuration(),
				this.ssl.options((bundle) -> client(node, timeout, bundle)), CONNECTIONS);
	}

	private static JedisClientConfiguration client(RedisNode node, Duration timeout, @Nullable SslBundle bundle) {
		JedisClientConfiguration.JedisClientConfigurationBuilder client = JedisClientConfiguration.builder()
			.connectTimeout(timeout)
			.readTimeout(timeout);
		if (node.isSsl()) {
			encrypt(client.useSsl(), bundle);
		}
		return client.build();
	}

	// Jedis checks whether the certificate is for the node's host only if it is told to
	private static void encrypt(JedisClientConfiguration.JedisSslClientConfigurationBuilder client,
			@Nullable SslBundle bundle) {
		SSLParameters parameters = (bundle != null)
				? new SSLParameters(bundle.getOptions().getCiphers(), bundle.getOptions().getEnabledProtocols())
				: new SSLParameters();
		parameters.setEndpointIdentificationAlgorithm("HTTPS");
		client.sslParameters(parameters);
		if (bundle != null) {
			client.sslSocketFactory(bundle.createSslContext().getSocketFactory());
		}
	}

}
