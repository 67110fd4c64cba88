package io.holdfast.quorum;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.holdfast.redis.connection.LockClient;
import io.holdfast.redis.connection.LockConnectionFactory;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

class LettuceNodeConnector implements RedisNodeConnections.Connector, DisposableBean {

	private final ClientResources resources = ClientResources.create();

	private final RedisNodeConnections.Ssl ssl;

	LettuceNodeConnector(RedisNodeConnections.Ssl ssl) {
		this.ssl = ssl;
	}

	@Override
	public LockConnectionFactory connect(RedisNode node, Duration timeout) {
		return LockClient.connectionsByLettuce(node.configuration(),
				this.ssl.options((bundle) -> client(node, timeout, bundle)));
	}

	private LettuceClientConfiguration client(RedisNode node, Duration timeout, @Nullable SslBundle bundle) {
		LettuceClientConfiguration.LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder()
			.commandTimeout(timeout)
			.clientResources(this.resources)
			.clientOptions(ClientOptions.builder()
				.sslOptions((bundle != null) ? sslOptions(bundle) : SslOptions.create())
				.socketOptions(SocketOptions.builder().connectTimeout(timeout).build())
				.timeoutOptions(TimeoutOptions.enabled())
				.build());
		if (node.isSsl()) {
			client.useSsl();
		}
		return client.build();
	}

	private static SslOptions sslOptions(SslBundle bundle) {
		SslOptions.Builder options = SslOptions.builder()
			.keyManager(bundle.getManagers().getKeyManagerFactory())
			.trustManager(bundle.getManagers().getTrustManagerFactory());
		if (bundle.getOptions().getCiphers() != null) {
			options.cipherSuites(bundle.getOptions().getCiphers());
		}
		if (bundle.getOptions().getEnabledProtocols() != null) {
			options.protocols(bundle.getOptions().getEnabledProtocols());
		}
		return options.build();
	}

	@Override
	public void destroy() {
		this.resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
	}

}
