package io.holdfast.quorum;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.holdfast.redis.connection.LettuceLockConnectionFactory;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.ClientResources;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

/**
 * Connects to nodes by Lettuce. They share the threads.
 */
class LettuceNodeConnector implements RedisNodeConnections.Connector<LettuceLockConnectionFactory>, DisposableBean {

	private final ClientResources resources = ClientResources.create();

	private final RedisNodeConnections.Ssl ssl;

	LettuceNodeConnector(RedisNodeConnections.Ssl ssl) {
		this.ssl = ssl;
	}

	@Override
	public LettuceLockConnectionFactory connect(RedisNode node, Duration timeout) {
		LettuceClientConfiguration.LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder()
			.commandTimeout(timeout)
			.clientResources(this.resources)
			.clientOptions(ClientOptions.builder()
				.sslOptions(sslOptions())
				.socketOptions(SocketOptions.builder().connectTimeout(timeout).build())
				.timeoutOptions(TimeoutOptions.enabled())
				.build());
		if (node.isSsl()) {
			client.useSsl();
		}
		return new LettuceLockConnectionFactory(node.configuration(), client.build());
	}

	private SslOptions sslOptions() {
		SslOptions.Builder options = SslOptions.builder();
		if (this.ssl.bundle() != null) {
			options.keyManager(this.ssl.bundle().getManagers().getKeyManagerFactory())
				.trustManager(this.ssl.bundle().getManagers().getTrustManagerFactory());
		}
		if (this.ssl.ciphers() != null) {
			options.cipherSuites(this.ssl.ciphers());
		}
		if (this.ssl.protocols() != null) {
			options.protocols(this.ssl.protocols());
		}
		return options.build();
	}

	@Override
	public void destroy() {
		this.resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
	}

}
