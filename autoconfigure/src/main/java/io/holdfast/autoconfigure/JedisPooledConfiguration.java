package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.Optional;

import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

import org.springframework.data.redis.connection.jedis.JedisClientBuilderCustomizer;
import org.springframework.data.redis.connection.jedis.JedisClientConfigBuilderCustomizer;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;

/**
 * What an application has set about its Jedis client, with another pool.
 *
 * @param client what the application has set
 * @param pool the other pool
 */
record JedisPooledConfiguration(JedisClientConfiguration client,
		GenericObjectPoolConfig<?> pool) implements JedisClientConfiguration {

	@Override
	public Optional<JedisClientConfigBuilderCustomizer> getClientConfigCustomizer() {
		return this.client.getClientConfigCustomizer();
	}

	@Override
	public Optional<JedisClientBuilderCustomizer> getClientCustomizer() {
		return this.client.getClientCustomizer();
	}

	@Override
	public boolean isUseSsl() {
		return this.client.isUseSsl();
	}

	@Override
	public Optional<SSLSocketFactory> getSslSocketFactory() {
		return this.client.getSslSocketFactory();
	}

	@Override
	public Optional<SSLParameters> getSslParameters() {
		return this.client.getSslParameters();
	}

	@Override
	public Optional<HostnameVerifier> getHostnameVerifier() {
		return this.client.getHostnameVerifier();
	}

	@Override
	public boolean isUsePooling() {
		return true;
	}

	@Override
	public Optional<GenericObjectPoolConfig<?>> getPoolConfig() {
		return Optional.of(this.pool);
	}

	@Override
	public Optional<String> getClientName() {
		return this.client.getClientName();
	}

	@Override
	public Duration getConnectTimeout() {
		return this.client.getConnectTimeout();
	}

	@Override
	public Duration getReadTimeout() {
		return this.client.getReadTimeout();
	}

}
